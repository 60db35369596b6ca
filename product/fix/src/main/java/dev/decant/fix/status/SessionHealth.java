package dev.decant.fix.status;

/**
 * Whether a session is as it should be, for a probe or a dashboard.
 *
 * @param isUp whether messages can be sent
 * @param reason why, for people: printable ASCII, at most some hundred characters
 */
public record SessionHealth(boolean isUp, String reason) {
  /** For people: {@code up: logged on}. */
  @Override
  public String toString() {
    return (isUp ? "up: " : "down: ") + reason;
  }
}
