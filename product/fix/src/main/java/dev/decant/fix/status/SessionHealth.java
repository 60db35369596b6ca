package dev.decant.fix.status;

/**
 * The health of a session, for a probe or a dashboard.
 *
 * @param isUp true if messages can be sent
 * @param reason one line for people: printable ASCII, at most some hundred characters
 */
public record SessionHealth(boolean isUp, String reason) {
  /** Returns a line such as {@code up: logged on}. */
  @Override
  public String toString() {
    return (isUp ? "up: " : "down: ") + reason;
  }
}
