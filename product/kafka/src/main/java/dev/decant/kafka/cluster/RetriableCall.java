package dev.decant.kafka.cluster;

import static java.util.Objects.requireNonNull;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import org.jspecify.annotations.Nullable;

/**
 * A call that a {@link CallQueue} repeats until a broker gives a final response. It ends with exactly one of
 * {@link #done}, {@link #failed} and {@link #dropped}, and may be submitted again after that. Owner of the loop only.
 */
public abstract class RetriableCall extends Call {
  private @Nullable CallQueue queue;
  private int attempts;
  private boolean uncertain;

  /**
   * A call that was not submitted yet.
   *
   * @param api the API
   * @param lowestVersion the lowest version that {@link #write} and {@link #read} know
   * @param highestVersion the highest
   */
  protected RetriableCall(ApiKey api, int lowestVersion, int highestVersion) {
    super(api, lowestVersion, highestVersion);
  }

  /**
   * Names the call in messages.
   *
   * @return the name of its API, unless overridden
   */
  protected String name() {
    return api().label();
  }

  /**
   * Whether anybody still waits for it; this is how a call is cancelled and how its deadline is kept. Asked before each
   * attempt.
   *
   * @return false to have it dropped
   */
  protected boolean isWanted() {
    return true;
  }

  /**
   * When it may be sent, if not now. Asked before each attempt; {@link CallQueue#pump} asks again earlier.
   *
   * @param nowNanos the time
   * @return a time in monotonic nanoseconds
   */
  protected long turn(long nowNanos) {
    return nowNanos;
  }

  /**
   * Reads the whole response and keeps what it needs of it. It changes nothing else, since the bytes may be hostile.
   *
   * @param in the body
   * @param version of the request
   * @return the error that counts; a retriable one has the call repeated
   */
  protected abstract ErrorCode read(ProtocolReader in, short version);

  /** The response that was read has no error. */
  protected abstract void done();

  /**
   * An attempt was in vain. Another one follows after a pause.
   *
   * @param cause what went wrong
   */
  protected void paused(KafkaException cause) {}

  /**
   * It cannot succeed.
   *
   * @param cause what a broker has refused, or why there is no broker
   */
  protected abstract void failed(KafkaException cause);

  /** It was not wanted any more, or its queue was closed. */
  protected void dropped() {}

  /**
   * Whether an attempt has had no response, so that a broker may have carried it out.
   *
   * @return false if each attempt was refused
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
    ErrorCode code = read(in, version); // may throw, and then there will be a failure
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
