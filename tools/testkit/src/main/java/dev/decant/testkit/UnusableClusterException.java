package dev.decant.testkit;

import org.jspecify.annotations.Nullable;

/**
 * Signals that an external cluster cannot be used: it does not respond, or refuses to create topics. The message is one
 * line that names the cluster, the cause and the cure.
 */
public final class UnusableClusterException extends ClusterException {
  private static final long serialVersionUID = 1;

  UnusableClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
