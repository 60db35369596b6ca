package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.net.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A request of one API and the handling of its response: the one way to make a request. {@link BrokerLink#send} chooses
 * the version, writes header and body, and waits for the response for {@code request.timeout.ms} at most.
 *
 * <p>After each sending, exactly one of {@link #onResponse}, {@link #onFailure} and {@link #onUnsupported} is called.
 * There is one exception: a failure follows a response that cannot be read. A completed call may be sent again, and
 * then reuses its memory.
 *
 * <p>{@link BrokerLink#send} makes one attempt. A {@link RetriableCall} is for a {@link CallQueue}, which finds the
 * broker and repeats the call.
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
   * Makes a call that was not sent yet.
   *
   * @param lowestVersion the lowest version that {@link #write} and {@link #onResponse} know
   * @param highestVersion the highest version that they know
   */
  protected Call(ApiKey api, int lowestVersion, int highestVersion) {
    this.api = api;
    this.lowestVersion = lowestVersion;
    this.highestVersion = highestVersion;
  }

  /** Returns the key of the API, which also knows the versions with compact types. */
  public final ApiKey api() {
    return api;
  }

  /** Returns the lowest version that serves now: the constructor's, unless overridden. Read before each sending. */
  protected int lowestVersion() {
    return lowestVersion;
  }

  /** Returns the highest version that serves now: the constructor's, unless overridden. Read before each sending. */
  protected int highestVersion() {
    return highestVersion;
  }

  /**
   * Describes what needs these versions, and what works without them. The error about a broker that lacks them says so.
   *
   * @return the end of a sentence, from a semicolon on; empty, unless overridden
   */
  protected String remedy() {
    return "";
  }

  /**
   * Returns true if the broker responds. Only Produce with {@code acks=0} has no response: no method is called once it
   * is queued.
   */
  protected boolean hasResponse() {
    return true;
  }

  /**
   * Queues the request on a connection, with its length and its header. A request with bytes in several places
   * overrides this.
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
   * Takes the response.
   *
   * @param in the body, valid during the call or for as long as {@code lease} is retained
   * @param version the version of the request
   * @param lease memory of a large response; null for a small one, which lies in the receive buffer
   */
  protected abstract void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease);

  /**
   * Returns true if the call can use the first bytes of a response that is larger than all memory. By default the
   * connection ends with this response.
   */
  protected boolean takesOversizedResponse() {
    return false;
  }

  /**
   * Takes the beginning of a response that is larger than all memory. The rest is skipped.
   *
   * @param in the beginning of the body, valid during the call
   * @param version the version of the request
   * @param bytes the size of the whole response
   */
  protected void onOversizedResponse(ProtocolReader in, short version, long bytes) {
    throw new IllegalStateException(api.label() + ": a response of " + bytes + " bytes is of no use");
  }

  /**
   * The call has failed: its connection has ended, or the request has expired or could not be written.
   *
   * @param cause names the stage, the broker and the cause
   */
  protected abstract void onFailure(KafkaException cause);

  /**
   * The broker has no version of the API that serves, as two connections have confirmed. By default this is a failure
   * like any other.
   *
   * @param cause names the versions of both sides
   */
  protected void onUnsupported(KafkaException cause) {
    onFailure(cause);
  }

  /** Returns true from the sending until the response or the failure is handed over. */
  public final boolean isInFlight() {
    return inFlight;
  }

  /**
   * Returns host and port of the broker to which the call was sent last, for messages; "none" before the first sending.
   */
  public final String brokerName() {
    BrokerLink last = broker;
    return last == null ? "none" : last.name();
  }

  /**
   * Holds up requests to the broker for as long as its response asks (KIP-219).
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
