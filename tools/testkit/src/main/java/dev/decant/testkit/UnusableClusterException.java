package dev.decant.testkit;

import org.jspecify.annotations.Nullable;

/**
 * A cluster that runs elsewhere cannot be used: it does not respond, or does not let topics be created. The message is
 * one line that names the cluster, the cause, and what to do.
 */
public final class UnusableClusterException extends ClusterException {
  private static final long serialVersionUID = 1;

  UnusableClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
