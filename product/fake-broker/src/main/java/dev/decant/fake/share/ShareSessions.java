package dev.decant.fake.share;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The share sessions of one life of a broker. */
final class ShareSessions {
  private final int broker;
  private final int incarnation;
  private final Map<Key, ShareSession> sessions = new HashMap<>();
  /** The members that have opened sessions, by their connections; a session may have ended before its connection. */
  private final Map<Long, Key> byConnection = new HashMap<>();

  /** A member, which has at most one session with a broker. */
  record Key(String groupId, String member) {}

  ShareSessions(int broker, int incarnation) {
    this.broker = broker;
    this.incarnation = incarnation;
  }

  int broker() {
    return broker;
  }

  boolean isOf(int ofBroker, int ofIncarnation) {
    return broker == ofBroker && incarnation == ofIncarnation;
  }

  @Nullable
  ShareSession of(Key member) {
    return sessions.get(member);
  }

  /**
   * Opens a session, or continues one.
   *
   * @param mostSessions most sessions of the broker
   * @return an error, or NONE
   */
  ErrorCode fetch(Key member, ShareFetchRequest request, long connection, int mostSessions) {
    ShareSession session = sessions.get(member);
    if (request.shareSessionEpoch() == ShareSession.INITIAL_EPOCH) {
      if (ShareAcks.areIn(request)) {
        return ErrorCode.INVALID_REQUEST;
      }
      sessions.remove(member);
      if (sessions.size() >= mostSessions) {
        return ErrorCode.SHARE_SESSION_LIMIT_REACHED;
      }
      session = new ShareSession(connection);
      session.update(request, true);
      sessions.put(member, session);
      byConnection.put(connection, member);
      return ErrorCode.NONE;
    }
    ErrorCode error = check(session, request.shareSessionEpoch());
    if (error == ErrorCode.NONE && session != null && request.shareSessionEpoch() != ShareSession.FINAL_EPOCH) {
      session.update(request, false);
      session.advance();
    }
    return error;
  }

  /** Continues a session for acknowledgements alone. */
  ErrorCode acknowledge(Key member, int epoch) {
    if (epoch == ShareSession.INITIAL_EPOCH) {
      return ErrorCode.INVALID_SHARE_SESSION_EPOCH;
    }
    ShareSession session = sessions.get(member);
    ErrorCode error = check(session, epoch);
    if (error == ErrorCode.NONE && session != null && epoch != ShareSession.FINAL_EPOCH) {
      session.advance();
    }
    return error;
  }

  private static ErrorCode check(@Nullable ShareSession session, int epoch) {
    if (session == null) {
      return ErrorCode.SHARE_SESSION_NOT_FOUND;
    }
    return epoch == ShareSession.FINAL_EPOCH || epoch == session.epoch()
        ? ErrorCode.NONE
        : ErrorCode.INVALID_SHARE_SESSION_EPOCH;
  }

  @Nullable
  ShareSession remove(Key member) {
    return sessions.remove(member);
  }

  /** Removes a connection, and returns the member that has opened a session on it. */
  @Nullable
  Key removeConnection(long connection) {
    return byConnection.remove(connection);
  }

  boolean isEmpty(String groupId) {
    return sessions.keySet().stream().noneMatch(key -> key.groupId().equals(groupId));
  }
}
