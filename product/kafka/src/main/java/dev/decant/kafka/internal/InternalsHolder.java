package dev.decant.kafka.internal;

import java.util.Objects;

/**
 * A client, to Decant's own modules: {@link ClientInternals#of} finds its internals, for which the client itself has no
 * method that an application could call.
 */
public abstract class InternalsHolder {
  final ClientInternals internals;

  /**
   * Keeps the internals of a client.
   *
   * @param internals of this client
   */
  protected InternalsHolder(ClientInternals internals) {
    this.internals = Objects.requireNonNull(internals, "internals");
  }
}
