package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A broker belongs to another cluster than the client: its address was taken over, or the cluster was made anew. No
 * request is sent to it, since records would go astray there. A client goes on by itself once a broker of its own
 * cluster can be reached.
 */
public final class WrongClusterException extends KafkaException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message broker, both clusters, and how to go on
   * @param cause what led to it, or null
   */
  public WrongClusterException(String message, @Nullable Throwable cause) {
    super(ErrorCode.INCONSISTENT_CLUSTER_ID, message, cause);
  }

  /**
   * The same once more, for a thread that was not there.
   *
   * @return with this as its cause
   */
  public WrongClusterException again() {
    return new WrongClusterException(String.valueOf(getMessage()), this);
  }
}
