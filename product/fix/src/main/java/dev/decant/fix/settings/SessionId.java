package dev.decant.fix.settings;

/**
 * The two ends of a session, as the header of each message that this end sends names them. Two sessions of an engine
 * differ in at least one component.
 *
 * @param beginString BeginString(8), for example {@code FIX.4.4} or {@code FIXT.1.1}
 * @param senderCompId SenderCompID(49) of this end
 * @param senderSubId SenderSubID(50) of this end; empty for none
 * @param targetCompId TargetCompID(56), the counterparty
 * @param targetSubId TargetSubID(57) of the counterparty; empty for none
 * @param qualifier tells sessions with the same ends apart within this engine; never sent; empty for none
 */
public record SessionId(String beginString, String senderCompId, String senderSubId, String targetCompId,
    String targetSubId, String qualifier) {
  /** Checks the components: they are sent as they are, and name folders. */
  public SessionId {
    requireText("beginString", beginString, false);
    requireText("senderCompId", senderCompId, false);
    requireText("senderSubId", senderSubId, true);
    requireText("targetCompId", targetCompId, false);
    requireText("targetSubId", targetSubId, true);
    requireText("qualifier", qualifier, true);
  }

  /**
   * A session without sub-identifiers.
   *
   * @param beginString BeginString(8)
   * @param senderCompId SenderCompID(49) of this end
   * @param targetCompId TargetCompID(56)
   * @return the identity
   * @throws IllegalArgumentException if a component is empty or holds a character that is not printable ASCII
   */
  public static SessionId of(String beginString, String senderCompId, String targetCompId) {
    return new SessionId(beginString, senderCompId, "", targetCompId, "", "");
  }

  private static void requireText(String name, String value, boolean mayBeEmpty) {
    if (value.isEmpty() && !mayBeEmpty) {
      throw new IllegalArgumentException(name + " is empty");
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c > '~') {
        throw new IllegalArgumentException(name + ": character " + (int) c + " at " + i + " is not printable ASCII");
      }
    }
  }

  /** For people: {@code FIX.4.4:SENDER->TARGET}. */
  @Override
  public String toString() {
    return beginString + ':' + end(senderCompId, senderSubId) + "->" + end(targetCompId, targetSubId)
        + (qualifier.isEmpty() ? "" : ':' + qualifier);
  }

  private static String end(String compId, String subId) {
    return subId.isEmpty() ? compId : compId + '/' + subId;
  }
}
