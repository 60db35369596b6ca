package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.util.ArrayList;
import java.util.List;

/**
 * The TestRequests(1) that wait for their Heartbeat(0), and the time that the last response took. A request of the
 * session's own has the id {@code TEST}; one of an operator has an id of its own, so its response is known. Owner of
 * the session only.
 */
final class TestRequests {
  private static final String OWN_ID = "TEST";

  /** The request of an operator. */
  private record Request(String id, long sentNanos, SessionOperator.Answer answer) {}

  private final SessionProtocol session;
  private final List<Request> requests = new ArrayList<>();
  private boolean isOwnPending;
  private long ownSentNanos;
  private long operators;

  TestRequests(SessionProtocol session) {
    this.session = session;
  }

  /** Sends one of the session's own; false if it could not, and the session has ended. */
  boolean send() {
    if (!send(OWN_ID)) {
      return false;
    }
    if (!isOwnPending) { // the response to the first of several comes first
      isOwnPending = true;
      ownSentNanos = session.time().nowNanos();
    }
    return true;
  }

  /** Sends one for an operator, who hears of its response or of the end of the connection. */
  void send(SessionOperator.Answer answer) {
    Request request = new Request(OWN_ID + '-' + ++operators, session.time().nowNanos(), answer);
    requests.add(request);
    if (!send(request.id) && requests.remove(request)) { // the end of the session may have told it already
      answer.onAnswer(SessionOperator.NO_ANSWER);
    }
  }

  private boolean send(String id) {
    session.out().beginAdmin().text(Tag.TEST_REQ_ID, id);
    return session.sendAdmin(MsgType.TEST_REQUEST);
  }

  /** Takes a Heartbeat(0), which may be a response. */
  void heartbeat(MessageView message) {
    int field = message.find(Tag.TEST_REQ_ID);
    if (field < 0) {
      return;
    }
    long now = session.time().nowNanos();
    if (isOwnPending && message.valueEquals(field, OWN_ID)) {
      isOwnPending = false;
      session.reporter().counters().roundTrip(now - ownSentNanos);
      return;
    }
    for (int i = 0; i < requests.size(); i++) {
      Request request = requests.get(i);
      if (message.valueEquals(field, request.id)) {
        requests.remove(i);
        session.reporter().counters().roundTrip(now - request.sentNanos);
        request.answer.onAnswer(now - request.sentNanos);
        return;
      }
    }
  }

  /** The connection has ended: no response comes any more. */
  void disconnected() {
    isOwnPending = false;
    List<Request> ended = List.copyOf(requests);
    requests.clear();
    ended.forEach(request -> request.answer.onAnswer(SessionOperator.NO_ANSWER));
  }
}
