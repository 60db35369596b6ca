package dev.decant.kafka.cluster;

/** Name and version that the client reports to brokers (KIP-511). */
public final class ClientSoftware {
  /** The name under which brokers show the client in their metrics. */
  public static final String NAME = "decant";
  /** The release. A test compares it with that of the build. */
  public static final String VERSION = "0.1.0";

  private ClientSoftware() {}
}
