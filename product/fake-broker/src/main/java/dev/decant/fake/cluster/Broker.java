package dev.decant.fake.cluster;

import org.jspecify.annotations.Nullable;

/** A broker of the cluster: where it listens, and whether it lives. */
public final class Broker {
  private final int id;
  private final @Nullable String rack;
  private final String host;
  private int port;
  private boolean isAlive;
  private boolean isDiskFull;
  /** An append has found the disk full: the log directory is offline, with all partitions in it. */
  private boolean isLogDirOffline;
  /** How often it was started: what a broker keeps in memory alone belongs to one of its lives. */
  private int incarnation;

  Broker(int id, @Nullable String rack, String host) {
    this.id = id;
    this.rack = rack;
    this.host = host;
  }

  /** Its node id. */
  public int id() {
    return id;
  }

  /** Its rack, null for none. */
  public @Nullable String rack() {
    return rack;
  }

  /** The host in the responses that list brokers. */
  public String host() {
    return host;
  }

  /** The port in the responses that list brokers. A dead broker has the port of its last life. */
  public int port() {
    return port;
  }

  /** Whether it listens. */
  public boolean isAlive() {
    return isAlive;
  }

  /** The number of its life, from 1. */
  public int incarnation() {
    return incarnation;
  }

  /** It listens on a port from now on. */
  public void started(int onPort) {
    port = onPort;
    isAlive = true;
    isLogDirOffline = false;
    incarnation++;
  }

  /** Whether its disk has no room for another batch. */
  public boolean isDiskFull() {
    return isDiskFull;
  }

  /** Whether its log directory is offline: it answers KAFKA_STORAGE_ERROR for all partitions that it has. */
  public boolean isLogDirOffline() {
    return isLogDirOffline;
  }

  /** Its disk is full from now on, or has room again. */
  void disk(boolean isFull) {
    isDiskFull = isFull;
  }

  /** Its log directory goes offline, or is online again. */
  void logDir(boolean isOffline) {
    isLogDirOffline = isOffline;
  }

  /** It begins another life on the same port, with nothing that brokers keep in memory. */
  public void reborn() {
    started(port);
  }

  /** It listens no longer. */
  public void stopped() {
    isAlive = false;
  }

  @Override
  public String toString() {
    return "broker " + id;
  }
}
