package dev.decant.fake.cluster;

import org.jspecify.annotations.Nullable;

/** A broker of the cluster: its address, and whether it is alive. */
public final class Broker {
  private final int id;
  private final @Nullable String rack;
  private final String host;
  private int port;
  private boolean isAlive;
  private boolean isDiskFull;
  /** True after an append has found the disk full: the log directory is offline, with all its partitions. */
  private boolean isLogDirOffline;
  /** Number of starts. The state that a broker keeps in memory alone belongs to one of its lives. */
  private int incarnation;

  Broker(int id, @Nullable String rack, String host) {
    this.id = id;
    this.rack = rack;
    this.host = host;
  }

  /** Returns the node id. */
  public int id() {
    return id;
  }

  /** Returns the rack, null for none. */
  public @Nullable String rack() {
    return rack;
  }

  /** Returns the host in the responses that list brokers. */
  public String host() {
    return host;
  }

  /** Returns the port in the responses that list brokers; of a dead broker the last one. */
  public int port() {
    return port;
  }

  /** Returns true if the broker listens. */
  public boolean isAlive() {
    return isAlive;
  }

  /** Returns the number of the broker's present life, from 1. */
  public int incarnation() {
    return incarnation;
  }

  /** Marks the broker as alive, on a port. */
  public void started(int onPort) {
    port = onPort;
    isAlive = true;
    isLogDirOffline = false;
    incarnation++;
  }

  /** Returns true if the disk has no room for another batch. */
  public boolean isDiskFull() {
    return isDiskFull;
  }

  /** Returns true if the log directory is offline: the broker responds KAFKA_STORAGE_ERROR for all its partitions. */
  public boolean isLogDirOffline() {
    return isLogDirOffline;
  }

  /** Fills the disk, or frees it. */
  void disk(boolean isFull) {
    isDiskFull = isFull;
  }

  /** Takes the log directory offline, or online again. */
  void logDir(boolean isOffline) {
    isLogDirOffline = isOffline;
  }

  /** Starts another life on the same port, without the state that brokers keep in memory alone. */
  public void reborn() {
    started(port);
  }

  /** Marks the broker as dead. */
  public void stopped() {
    isAlive = false;
  }

  @Override
  public String toString() {
    return "broker " + id;
  }
}
