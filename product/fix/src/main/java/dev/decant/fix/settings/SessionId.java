package dev.decant.fix.settings;

/**
 * The identity of a session: the two ends, as the header of each message names them that this end sends. Two sessions
 * of an engine differ in at least one component.
 *
 * @param beginString BeginString(8), for example {@code FIX.4.4} or {@code FIXT.1.1}
 * @param senderCompId SenderCompID(49) of this end
 * @param senderSubId SenderSubID(50) of this end; empty for none
 * @param senderLocationId SenderLocationID(142) of this end; empty for none
 * @param targetCompId TargetCompID(56), the counterparty
 * @param targetSubId TargetSubID(57) of the counterparty; empty for none
 * @param targetLocationId TargetLocationID(143) of the counterparty; empty for none
 * @param qualifier distinguishes sessions with the same ends within this engine; never sent; empty for none
 */
public record SessionId(String beginString, String senderCompId, String senderSubId, String senderLocationId,
    String targetCompId, String targetSubId, String targetLocationId, String qualifier) {
  /** Checks the components, which are sent unchanged and name folders. */
  public SessionId {
    requireText("beginString", beginString, false);
    requireText("senderCompId", senderCompId, false);
    requireText("senderSubId", senderSubId, true);
    requireText("senderLocationId", senderLocationId, true);
    requireText("targetCompId", targetCompId, false);
    requireText("targetSubId", targetSubId, true);
    requireText("targetLocationId", targetLocationId, true);
    requireText("qualifier", qualifier, true);
  }

  /**
   * Creates the identity of a session without LocationIDs.
   *
   * @param beginString BeginString(8)
   * @param senderCompId SenderCompID(49) of this end
   * @param senderSubId SenderSubID(50) of this end; empty for none
   * @param targetCompId TargetCompID(56)
   * @param targetSubId TargetSubID(57) of the counterparty; empty for none
   * @param qualifier distinguishes sessions with the same ends; never sent; empty for none
   * @throws IllegalArgumentException if a required component is empty, or one has a character that is not printable
   *     ASCII
   */
  public SessionId(String beginString, String senderCompId, String senderSubId, String targetCompId,
      String targetSubId, String qualifier) {
    this(beginString, senderCompId, senderSubId, "", targetCompId, targetSubId, "", qualifier);
  }

  /**
   * Creates the identity of a session without SubIDs and LocationIDs. {@link #withSender}, {@link #withTarget} and
   * {@link #withQualifier} add them.
   *
   * @param beginString BeginString(8)
   * @param senderCompId SenderCompID(49) of this end
   * @param targetCompId TargetCompID(56)
   * @return the identity
   * @throws IllegalArgumentException if a component is empty or has a character that is not printable ASCII
   */
  public static SessionId of(String beginString, String senderCompId, String targetCompId) {
    return new SessionId(beginString, senderCompId, "", "", targetCompId, "", "", "");
  }

  /**
   * Returns the same identity with other identifiers of this end.
   *
   * @param subId SenderSubID(50); empty for none
   * @param locationId SenderLocationID(142); empty for none
   * @return the identity
   * @throws IllegalArgumentException if one holds a character that is not printable ASCII
   */
  public SessionId withSender(String subId, String locationId) {
    return new SessionId(beginString, senderCompId, subId, locationId, targetCompId, targetSubId, targetLocationId,
        qualifier);
  }

  /**
   * Returns the same identity with other identifiers of the counterparty.
   *
   * @param subId TargetSubID(57); empty for none
   * @param locationId TargetLocationID(143); empty for none
   * @return the identity
   * @throws IllegalArgumentException if one holds a character that is not printable ASCII
   */
  public SessionId withTarget(String subId, String locationId) {
    return new SessionId(beginString, senderCompId, senderSubId, senderLocationId, targetCompId, subId, locationId,
        qualifier);
  }

  /**
   * Returns the same identity with a qualifier, which distinguishes sessions with the same ends.
   *
   * @param value never sent; empty for none
   * @return the identity
   * @throws IllegalArgumentException if it holds a character that is not printable ASCII
   */
  public SessionId withQualifier(String value) {
    return new SessionId(beginString, senderCompId, senderSubId, senderLocationId, targetCompId, targetSubId,
        targetLocationId, value);
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

  /**
   * Returns text such as {@code FIX.4.4:SENDER->TARGET}, or {@code FIX.4.4:SENDER/SUB/LOCATION->TARGET/SUB/LOCATION}.
   */
  @Override
  public String toString() {
    return beginString + ':' + end(senderCompId, senderSubId, senderLocationId) + "->"
        + end(targetCompId, targetSubId, targetLocationId) + (qualifier.isEmpty() ? "" : ':' + qualifier);
  }

  /** Joins the parts of an end. An empty SubID before a LocationID leaves {@code //}, so the text is unambiguous. */
  private static String end(String compId, String subId, String locationId) {
    return locationId.isEmpty()
        ? subId.isEmpty() ? compId : compId + '/' + subId
        : compId + '/' + subId + '/' + locationId;
  }
}
