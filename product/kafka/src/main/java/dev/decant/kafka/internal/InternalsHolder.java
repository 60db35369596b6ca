package dev.decant.kafka.internal;

import java.util.Objects;

/**
 * A client for Decant's own modules. {@link ClientInternals#of} finds its internals; the client itself has no method
 * for them that an application could call.
 */
public abstract class InternalsHolder {
  final ClientInternals internals;

  /** Keeps the internals of a client. */
  protected InternalsHolder(ClientInternals internals) {
    this.internals = Objects.requireNonNull(internals, "internals");
  }
}
