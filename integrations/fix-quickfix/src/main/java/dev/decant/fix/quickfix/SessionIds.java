package dev.decant.fix.quickfix;

import dev.decant.fix.settings.SessionId;
import quickfix.SessionID;

/** Converts identities between the two engines. They have the same components. */
final class SessionIds {
  private SessionIds() {}

  static SessionID toQuickFix(SessionId id) {
    return new SessionID(id.beginString(), id.senderCompId(), id.senderSubId(), id.senderLocationId(),
        id.targetCompId(), id.targetSubId(), id.targetLocationId(), id.qualifier());
  }

  static SessionId toDecant(SessionID id) {
    return new SessionId(id.getBeginString(), id.getSenderCompID(), id.getSenderSubID(), id.getSenderLocationID(),
        id.getTargetCompID(), id.getTargetSubID(), id.getTargetLocationID(), id.getSessionQualifier());
  }
}
