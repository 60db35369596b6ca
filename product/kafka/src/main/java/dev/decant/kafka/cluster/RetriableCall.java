package dev.decant.kafka.cluster;

import static java.util.Objects.requireNonNull;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import org.jspecify.annotations.Nullable;

/**
 * A call that a {@link CallQueue} repeats until a broker gives a final response. It ends with exactly one of {@link
 * #done}, {@link #failed} and {@link #dropped}, and may be submitted again after that. Owner of the loop only.
 */
public abstract class RetriableCall extends Call {
  private @Nullable CallQueue queue;
  private int attempts;
  private boolean uncertain;

  /**
   * Makes a call that was not submitted yet.
   *
   * @param lowestVersion the lowest version that {@link #write} and {@link #read} know
   * @param highestVersion the highest version that they know
   */
  protected RetriableCall(ApiKey api, int lowestVersion, int highestVersion) {
    super(api, lowestVersion, highestVersion);
  }

  /** Returns the name of the call for messages: that of its API, unless overridden. */
  protected String name() {
    return api().label();
  }

  /**
   * Returns false to drop the call; read before each attempt. A caller cancels a call and keeps its deadline by this.
   */
  protected boolean isWanted() {
    return true;
  }

  /**
   * Returns the earliest time of the next attempt; read before each attempt, and again by each {@link CallQueue#pump}.
   *
   * @return a time in monotonic nanoseconds
   */
  protected long turn(long nowNanos) {
    return nowNanos;
  }

  /**
   * Reads the whole response and keeps what it needs. It must change nothing else, since the bytes may be hostile.
   *
   * @return the error that decides; the queue repeats the call after a retriable one
   */
  protected abstract ErrorCode read(ProtocolReader in, short version);

  /** The call has succeeded: the response that was read has no error. */
  protected abstract void done();

  /** An attempt has failed. Another one follows after a pause. */
  protected void paused(KafkaException cause) {}

  /**
   * The call cannot succeed.
   *
   * @param cause the refusal of a broker, or why there is no broker
   */
  protected abstract void failed(KafkaException cause);

  /** The caller does not want the call any more, or the queue was closed. */
  protected void dropped() {}

  /**
   * Returns true if an attempt had no response, so a broker may have carried it out; false if each attempt was refused.
   */
  protected final boolean isUncertain() {
    return uncertain;
  }

  int attempts() {
    return attempts;
  }

  void submittedTo(CallQueue to) {
    queue = to;
    attempts = 0;
    uncertain = false;
  }

  void attempt() {
    attempts++;
  }

  @Override
  protected final void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    ErrorCode code = read(in, version); // an exception leads to onFailure
    requireNonNull(queue, "submitted").onResponse(this, code);
  }

  @Override
  protected final void onFailure(KafkaException cause) {
    uncertain = true;
    requireNonNull(queue, "submitted").onFailure(this, cause);
  }

  @Override
  protected final void onUnsupported(KafkaException cause) {
    requireNonNull(queue, "submitted").onUnsupported(this, cause);
  }
}
