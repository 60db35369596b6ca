package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** A member of a group on a thread of its own, until it leaves. It commits five times a second. */
final class Member implements Runnable {
  private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long JOIN_MILLIS = 60_000;

  /** A client that is a member. Used by the member's thread only. */
  interface Client {
    /** Waits for records a moment, and has them told. */
    void poll() throws InterruptedException;

    /** Commits what was read; false if the group would not have it. */
    boolean commit() throws InterruptedException;

    /** Leaves. */
    void end();
  }

  /** Hears what members do. Any thread. */
  interface Told {
    /** A member has a partition. */
    void assigned(int member, int partition);

    /** It has it no more. */
    void released(int member, int partition);

    /** A member has a record in its hands. */
    void read(int member, int partition, long offset);

    /** The group has stored an offset. */
    void committed(int partition, long offset);
  }

  /** Opens a client that tells the member what happens. */
  interface Opening {
    Client open(Member member);
  }

  private final int number;
  private final Told told;
  private final Opening opening;
  private final Thread thread;
  /** Of the member's thread: the next offset of each partition; -1 for what it does not have, or has not read. */
  private final long[] next;
  private volatile boolean leaving;
  private volatile String failure = "";

  Member(int number, Told told, int partitions, Opening opening) {
    this.number = number;
    this.told = told;
    this.opening = opening;
    this.next = new long[partitions];
    Arrays.fill(next, -1);
    this.thread = Thread.ofPlatform().name("member-" + number).daemon(true).unstarted(this);
  }

  int number() {
    return number;
  }

  void join() {
    thread.start();
  }

  void leave() {
    leaving = true;
  }

  /** Why it has stopped by itself; empty if it has not. */
  String failure() {
    return failure;
  }

  void awaitEnd() throws InterruptedException {
    thread.join(JOIN_MILLIS);
  }

  @Override
  public void run() {
    try {
      Client client = opening.open(this);
      try {
        read(client);
      } finally {
        client.end();
      }
    } catch (InterruptedException | RuntimeException e) {
      failure = "member " + number + ": " + e;
    }
  }

  private void read(Client client) throws InterruptedException {
    long committed = System.nanoTime();
    while (!leaving) {
      client.poll();
      if (System.nanoTime() - committed >= COMMIT_NANOS) {
        commit(client);
        committed = System.nanoTime();
      }
    }
  }

  private void commit(Client client) throws InterruptedException {
    if (client.commit()) {
      for (int p = 0; p < next.length; p++) {
        if (next[p] >= 0) {
          told.committed(p, next[p]);
        }
      }
    }
  }

  // What clients tell, on the member's thread.

  void onRecord(int partition, long offset) {
    next[partition] = offset + 1;
    told.read(number, partition, offset);
  }

  void onAssigned(int partition) {
    next[partition] = -1;
    told.assigned(number, partition);
  }

  /** Partitions go to others: what was read of them is committed first. */
  void onRevoked(Client client) throws InterruptedException {
    commit(client);
  }

  void onReleased(int partition) {
    next[partition] = -1;
    told.released(number, partition);
  }
}
