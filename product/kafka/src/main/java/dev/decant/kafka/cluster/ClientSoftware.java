package dev.decant.kafka.cluster;

/** What this client calls itself (KIP-511). */
public final class ClientSoftware {
  /** The name that brokers have for it in their metrics. */
  public static final String NAME = "decant";
  /** The release. A test compares it with that of the build. */
  public static final String VERSION = "0.1.0";

  private ClientSoftware() {}
}
