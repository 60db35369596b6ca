package dev.decant.fake.net;

import dev.decant.fake.api.Api;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.fault.Disturbance;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import java.nio.ByteBuffer;

/**
 * A request on its way through the broker, and its response on its way back, with the effect of a fault on both. A
 * connection has one exchange at a time.
 *
 * @param <Q> the request
 * @param <R> the response
 */
final class Exchange<Q, R> implements Reply<R> {
  private static final ServerLog LOG = new ServerLog(Exchange.class);
  /** Pause between the pieces of a response in two pieces: without it the client would read both at once. */
  private static final int PIECE_MILLIS = 20;

  private final ClientConnection connection;
  private final Api<Q, R> api;
  private final RequestContext context;
  private final JournalEntry entry;
  private final Q request;
  private Disturbance disturbance = Disturbance.NONE;
  private boolean isOver;

  private Exchange(ClientConnection connection, Api<Q, R> api, RequestContext context, JournalEntry entry,
      Q request) {
    this.connection = connection;
    this.api = api;
    this.context = context;
    this.entry = entry;
    this.request = request;
  }

  /**
   * Decodes a request; {@link #start} applies it.
   *
   * @param received the frame; the journal's copy lacks secrets
   */
  static <Q, R> Exchange<Q, R> of(ClientConnection connection, Api<Q, R> api, RequestContext context,
      JournalEntry entry, byte[] received, boolean isOffered) {
    ByteBuffer frame = ByteBuffer.wrap(received);
    ProtocolReader in = new ProtocolReader(frame, entry.bodyAt(), frame.limit());
    // The body of an unknown version of ApiVersions cannot be read, and the response does not depend on it.
    Q request = isOffered
        ? api.reader().read(in, entry.version())
        : api.reader().read(emptyBody(), (short) 0);
    return new Exchange<>(connection, api, context, entry, request);
  }

  private static ProtocolReader emptyBody() {
    return new ProtocolReader(ByteBuffer.allocate(0), 0, 0);
  }

  /** Applies the request, as far as the fault allows it. */
  void start() {
    ClusterServer server = connection.server();
    disturbance = server.faults().take(entry, () -> api.handler().topics(request, server.cluster()));
    switch (disturbance.kind()) {
      case CLOSE_BEFORE -> closeConnection("a fault of the test has closed the connection before the request");
      case REFUSE -> refuse(disturbance.error());
      case DELAY -> after(disturbance.millis(), this::apply);
      default -> apply();
    }
  }

  /** Refuses the request in place of {@link #start}. */
  void refuseAtOnce(ErrorCode error) {
    refuse(error);
  }

  private void apply() {
    attempt(() -> api.handler().handle(request, context, this));
  }

  /**
   * Runs a step of a handler. A failure there is a defect of the fake broker: the client receives a broker's response
   * to an internal error.
   */
  @Override
  public void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "the fake broker cannot handle " + this, e);
      if (isOver) { // the step has failed after its response
        connection.end("the fake broker has failed: " + e);
      } else {
        refuse(ErrorCode.UNKNOWN_SERVER_ERROR);
      }
    }
  }

  /** Responds with an error. A client that expects no response sees its connection closed, as with a broker. */
  private void refuse(ErrorCode error) {
    if (api.handler().wantsResponse(request)) {
      complete(api.handler().refuse(request, context, error));
    } else {
      closeConnection("a request without a response has failed: " + error);
    }
  }

  @Override
  public void complete(R response) {
    requireOpen();
    R sent = disturbance.kind() == Disturbance.Kind.THROTTLE
        ? api.throttle().set(response, disturbance.millis())
        : response;
    byte[] frame;
    try {
      frame = connection.server().encoder().encode(api, responseVersion(), entry.correlationId(), sent);
    } catch (RuntimeException e) {
      // this may run in the course of another client's request, which must not fail with it
      LOG.log(System.Logger.Level.ERROR, "the fake broker cannot encode its response to " + this, e);
      connection.end("the fake broker has failed: " + e);
      return;
    } catch (OutOfMemoryError e) { // an open connection would leave the client waiting for ever
      ServerLog.heapIsFull("a response of " + connection.broker());
      connection.end("no memory for a response: " + e.getMessage());
      return;
    }
    switch (disturbance.kind()) {
      case CLOSE_AFTER -> connection.end("a fault of the test has closed the connection after the request");
      case NEVER_ANSWER -> {
        // no further request is read from the connection, which stays open
      }
      case THROTTLE -> { // KIP-219: the broker does not read from the connection for that time either
        connection.send(frame, 0, frame.length);
        after(disturbance.millis(), () -> connection.finish(null));
      }
      case LATE -> after(disturbance.millis(), () -> connection.finish(frame));
      case DAMAGE -> {
        damage(frame);
        connection.finish(frame);
      }
      case TWICE -> {
        connection.send(frame, 0, frame.length);
        connection.finish(frame);
      }
      case TWO_PIECES -> {
        connection.send(frame, 0, frame.length / 2);
        after(PIECE_MILLIS, () -> {
          connection.send(frame, frame.length / 2, frame.length);
          connection.finish(null);
        });
      }
      default -> connection.finish(frame);
    }
  }

  /** Returns the version of the response: 0 for an unknown version of ApiVersions (KIP-511). */
  private short responseVersion() {
    return connection.isOffered(api.key(), entry.version()) ? entry.version() : 0;
  }

  private void after(int millis, Runnable task) {
    connection.server().after(connection.broker(), millis, task);
  }

  /** Inverts every third byte behind the correlation id. */
  private static void damage(byte[] frame) {
    for (int i = 2 * Integer.BYTES; i < frame.length; i += 3) {
      frame[i] = (byte) ~frame[i];
    }
  }

  @Override
  public void completeWithoutResponse() {
    requireOpen();
    switch (disturbance.kind()) {
      case CLOSE_AFTER -> connection.end("a fault of the test has closed the connection after the request");
      case NEVER_ANSWER -> {
        // no further request is read from it, though the client expects no response
      }
      default -> connection.finish(null);
    }
  }

  @Override
  public void closeConnection(String reason) {
    requireOpen();
    connection.end(reason);
  }

  private void requireOpen() {
    if (isOver) {
      throw new IllegalStateException("the request is answered already: " + this);
    }
    isOver = true;
  }

  @Override
  public String toString() {
    return entry.api().label() + " " + (SecretFrames.hasSecret(entry.api()) ? "(secret)" : request);
  }
}
