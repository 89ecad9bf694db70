/* The force sensor in the fingertip: a load cell on an HX711, one line for each sample.
 *
 * What it writes, at 115200 baud:
 *
 *     # steadyhand hx711 1            once, at the start; lines that begin with # are for people
 *     1234,-84120                     milliseconds since the start, raw value (-8388608 to 8388607)
 *
 * An end of that range means overload or a broken wire of the cell. It takes no commands: tare and newtons are the
 * program's business (steadyhand calibrate force).
 *
 * Wiring, for any board with 5 V or 3.3 V:
 *
 *     HX711 VCC  - supply of the board          HX711 E+ - red of the cell      HX711 A+ - green
 *     HX711 GND  - GND                          HX711 E- - black                HX711 A- - white
 *     HX711 DT   - pin 2
 *     HX711 SCK  - pin 3
 *     HX711 RATE - supply of the board, for 80 samples a second
 *
 * Most HX711 boards come with RATE tied to ground: 10 samples a second, of which the program says that they are too few.
 * Lift that pin, or cut its trace, and connect it to the supply. Colours of cells differ; a swapped pair only turns the
 * sign, which the calibration finds. Keep the wires between cell and HX711 short, twisted and away from the motors'.
 */

const int DATA_PIN = 2;
const int CLOCK_PIN = 3;
const unsigned long PATIENCE_MS = 500;  // without a sample for so long, say so

unsigned long heard_ms = 0;

void setup() {
  pinMode(DATA_PIN, INPUT);
  pinMode(CLOCK_PIN, OUTPUT);
  digitalWrite(CLOCK_PIN, LOW);  // high for 60 us would switch the HX711 off
  Serial.begin(115200);
  Serial.println(F("# steadyhand hx711 1"));
  heard_ms = millis();
}

void pulse() {
  digitalWrite(CLOCK_PIN, HIGH);
  delayMicroseconds(1);
  digitalWrite(CLOCK_PIN, LOW);
  delayMicroseconds(1);
}

/* 24 bits, the highest first; the 25th pulse asks for channel A at gain 128 next time. */
long readSample() {
  unsigned long value = 0;
  noInterrupts();  // an interrupt while the clock is high could switch the HX711 off
  for (int bit = 0; bit < 24; bit++) {
    digitalWrite(CLOCK_PIN, HIGH);
    delayMicroseconds(1);
    value = (value << 1) | (digitalRead(DATA_PIN) == HIGH ? 1UL : 0UL);
    digitalWrite(CLOCK_PIN, LOW);
    delayMicroseconds(1);
  }
  pulse();
  interrupts();
  return value & 0x800000UL ? (long)value - 0x1000000L : (long)value;
}

void loop() {
  unsigned long now_ms = millis();
  if (digitalRead(DATA_PIN) == LOW) {  // a sample is ready
    long value = readSample();
    heard_ms = now_ms;
    Serial.print(now_ms);
    Serial.print(',');
    Serial.println(value);
  } else if (now_ms - heard_ms > PATIENCE_MS) {
    heard_ms = now_ms;
    Serial.println(F("# no sample from the HX711: check DT, SCK, VCC and GND"));
  }
}
