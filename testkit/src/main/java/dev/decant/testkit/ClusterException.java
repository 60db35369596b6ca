package dev.decant.testkit;

import org.jspecify.annotations.Nullable;

/** A broker could not be started, did not answer in time, or refused what it was asked for. The message says which. */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
