package dev.decant.testkit;

import org.jspecify.annotations.Nullable;

/**
 * Signals that a broker could not be started, did not respond in time, or refused a request. The message says which.
 */
public sealed class ClusterException extends RuntimeException permits RefusedException, UnusableClusterException {
  private static final long serialVersionUID = 1;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
