package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A broker belongs to another cluster than the client: its address was taken over, or the cluster was created again.
 * The
 * client sends no request to it, since records would be stored in the wrong cluster. It continues by itself once it
 * reaches a broker of its own cluster.
 */
public final class WrongClusterException extends KafkaException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message broker, both clusters, and what to do
   * @param cause the exception that caused this one, or null
   */
  public WrongClusterException(String message, @Nullable Throwable cause) {
    super(ErrorCode.INCONSISTENT_CLUSTER_ID, message, cause);
  }

  /**
   * Returns a copy for another thread to throw.
   *
   * @return a copy with this as its cause
   */
  public WrongClusterException again() {
    return new WrongClusterException(String.valueOf(getMessage()), this);
  }
}
