package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.net.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A request of one API and what becomes of its response: the one way to make a request. {@link BrokerLink#send}
 * chooses the version, writes the header and the body, and waits for the response {@code request.timeout.ms} at most.
 * After each sending one of {@link #onResponse}, {@link #onFailure} and {@link #onUnsupported} is called, once; a
 * response that cannot be read is followed by a failure. A call that is over may be sent again, and uses its memory
 * again.
 *
 * <p>This class is sent once and reports what came of it. A {@link RetriableCall} is for a {@link CallQueue}, which
 * finds the broker and repeats the call.
 *
 * <p>Owner of the loop only.
 */
public abstract class Call implements RequestBody {
  private final ApiKey api;
  private final int lowestVersion;
  private final int highestVersion;
  private @Nullable RequestMemory memory;
  private @Nullable BrokerLink broker;
  private boolean inFlight;

  /**
   * A call that was not sent yet.
   *
   * @param api the API
   * @param lowestVersion the lowest version that {@link #write} and {@link #onResponse} know
   * @param highestVersion the highest
   */
  protected Call(ApiKey api, int lowestVersion, int highestVersion) {
    this.api = api;
    this.lowestVersion = lowestVersion;
    this.highestVersion = highestVersion;
  }

  /**
   * The API.
   *
   * @return its key, which knows the versions with compact types
   */
  public final ApiKey api() {
    return api;
  }

  /**
   * The lowest version that serves now. Asked before each sending.
   *
   * @return the version given to the constructor, unless overridden
   */
  protected int lowestVersion() {
    return lowestVersion;
  }

  /**
   * The highest version that serves now. Asked before each sending.
   *
   * @return the version given to the constructor, unless overridden
   */
  protected int highestVersion() {
    return highestVersion;
  }

  /**
   * What needs the versions that serve now, and what does without them, for the message where a broker lacks them.
   *
   * @return the end of a sentence, from a semicolon on; empty, unless overridden
   */
  protected String remedy() {
    return "";
  }

  /**
   * Whether the broker responds. It does, but for Produce with {@code acks=0}.
   *
   * @return false if nothing is called after the request was queued
   */
  protected boolean hasResponse() {
    return true;
  }

  /**
   * Queues the request, with its length and its header, on a connection. Overridden by a request that has its bytes in
   * several places.
   *
   * @param on takes the bytes
   * @param header of this request
   * @param version the version that both sides speak
   */
  protected void queue(Connection on, RequestHeader header, short version) {
    RequestMemory own = memory;
    if (own == null) {
      own = new RequestMemory();
      memory = own;
    }
    on.queue(own.encode(header, this, version));
  }

  /**
   * The response has arrived.
   *
   * @param in the body, valid during the call or for as long as {@code lease} is retained
   * @param version the version of the request
   * @param lease memory of a large response; null for a small one, which lies in the receive buffer
   */
  protected abstract void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease);

  /**
   * Whether the first bytes of a response are of use if it is larger than all memory there is. Without an override such
   * a response ends the connection.
   *
   * @return true for {@link #onOversizedResponse}
   */
  protected boolean takesOversizedResponse() {
    return false;
  }

  /**
   * A response has begun that is larger than all memory there is. Its rest is skipped.
   *
   * @param in the begin of the body, valid during the call
   * @param version the version of the request
   * @param bytes of the whole response
   */
  protected void onOversizedResponse(ProtocolReader in, short version, long bytes) {
    throw new IllegalStateException(api.label() + ": a response of " + bytes + " bytes is of no use");
  }

  /**
   * There will be no response: the connection has ended, the request has expired or could not be written.
   *
   * @param cause stage, broker, cause
   */
  protected abstract void onFailure(KafkaException cause);

  /**
   * The broker has no version of the API that serves, as two connections have said. Without an override this is a
   * failure like any other.
   *
   * @param cause names the versions of both sides
   */
  protected void onUnsupported(KafkaException cause) {
    onFailure(cause);
  }

  /**
   * Whether there is a request without a response.
   *
   * @return true from the sending until the response or the failure is handed over
   */
  public final boolean isInFlight() {
    return inFlight;
  }

  /**
   * The broker to which it was sent last, for messages.
   *
   * @return host and port; "none" before the first sending
   */
  public final String brokerName() {
    BrokerLink last = broker;
    return last == null ? "none" : last.name();
  }

  /**
   * Holds up requests to the broker for as long as its response has asked (KIP-219).
   *
   * @param millis the throttle time of the response
   */
  protected final void throttle(int millis) {
    BrokerLink last = broker;
    if (last != null) {
      last.throttle(millis);
    }
  }

  void begin(BrokerLink to) {
    if (inFlight) {
      throw new IllegalStateException(api.label() + " to broker " + brokerName() + " is in flight already");
    }
    broker = to;
    inFlight = true;
  }

  void over() {
    inFlight = false;
  }
}
