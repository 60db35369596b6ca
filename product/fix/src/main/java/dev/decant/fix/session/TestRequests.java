package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.util.ArrayList;
import java.util.List;

/**
 * TestRequests(1) that wait for their Heartbeat(0), and the round trip time of the last one. Those of the session have
 * the id {@code TEST}. Each one of an operator has its own id, so that its response is recognised. Owner of the session
 * only.
 */
final class TestRequests {
  private static final String OWN_ID = "TEST";

  /** A TestRequest of an operator. */
  private record Request(String id, long sentNanos, SessionOperator.ResponseHandler handler) {}

  private final SessionProtocol session;
  private final List<Request> requests = new ArrayList<>();
  /** True while a TestRequest of the session has no response. */
  private boolean isOwnPending;
  /** When the first of these was sent, in nanoseconds of the monotonic clock. */
  private long ownSentNanos;
  /** Number of TestRequests of operators so far, from which their ids are made. */
  private long operators;

  TestRequests(SessionProtocol session) {
    this.session = session;
  }

  /** Sends a TestRequest of the session. Returns false if it could not be sent; then the session has ended. */
  boolean send() {
    if (!send(OWN_ID)) {
      return false;
    }
    if (!isOwnPending) { // The first of several requests gets the first response, so its time counts.
      isOwnPending = true;
      ownSentNanos = session.time().nowNanos();
    }
    return true;
  }

  /** Sends a TestRequest of an operator. {@code answer} receives the response, or the end of the connection. */
  void send(SessionOperator.ResponseHandler handler) {
    Request request = new Request(OWN_ID + '-' + ++operators, session.time().nowNanos(), handler);
    requests.add(request);
    // If the session ended during the send, its end has called the receiver already.
    if (!send(request.id) && requests.remove(request)) {
      handler.onResponse(SessionOperator.NO_RESPONSE);
    }
  }

  private boolean send(String id) {
    session.out().beginAdmin().text(Tag.TEST_REQ_ID, id);
    return session.sendAdmin(MsgType.TEST_REQUEST);
  }

  /** Matches a Heartbeat(0) with the request that it responds to, if there is one. */
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
        request.handler.onResponse(now - request.sentNanos);
        return;
      }
    }
  }

  /** Ends all requests with their connection: no response can arrive any longer. */
  void disconnected() {
    isOwnPending = false;
    List<Request> ended = List.copyOf(requests);
    requests.clear();
    ended.forEach(request -> request.handler.onResponse(SessionOperator.NO_RESPONSE));
  }
}
