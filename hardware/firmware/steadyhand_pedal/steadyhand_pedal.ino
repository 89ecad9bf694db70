/* A stop pedal on a microcontroller, for those whose serial adapter has no CTS or DSR pin.
 *
 * What it writes, at 9600 baud: a line `up` twenty times a second while nobody treads, `down` at once and as often while
 * somebody does. The program stops the arm at anything but `up`, and when nothing comes for half a second.
 *
 * Wiring: the pedal's normally closed contact between pin 2 and GND. Treading opens it, and so does a broken wire.
 */

const int CONTACT_PIN = 2;
const unsigned long PERIOD_MS = 50;

unsigned long said_ms = 0;
bool wasDown = false;

void setup() {
  pinMode(CONTACT_PIN, INPUT_PULLUP);
  Serial.begin(9600);
}

void loop() {
  unsigned long now_ms = millis();
  bool down = digitalRead(CONTACT_PIN) == HIGH;
  if ((down && !wasDown) || now_ms - said_ms >= PERIOD_MS) {
    Serial.println(down ? F("down") : F("up"));
    said_ms = now_ms;
  }
  wasDown = down;
}
