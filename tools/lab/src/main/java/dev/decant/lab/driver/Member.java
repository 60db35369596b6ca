package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** A member of a group on its own thread, until it leaves. It commits five times a second. */
final class Member implements Runnable {
  private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long JOIN_MILLIS = 60_000;

  /** The client of a member. The member's thread only. */
  interface Client {
    /** Waits briefly for records, and passes them to the member. */
    void poll() throws InterruptedException;

    /** Commits the offsets of the records that were read; returns false if the group rejects the commit. */
    boolean commit() throws InterruptedException;

    /** Leaves the group. */
    void end();
  }

  /** Takes the reports of members. Any thread. */
  interface Observer {
    /** Takes the assignment of a partition to a member. */
    void assigned(int member, int partition);

    /** Takes the revocation or loss of a partition. */
    void released(int member, int partition);

    /** Takes the offset of a record that a member has read. */
    void read(int member, int partition, long offset);

    /** Takes a committed offset. */
    void committed(int partition, long offset);
  }

  /** Opens a client that passes records and rebalances to the member. */
  interface Opening {
    Client open(Member member);
  }

  private final int number;
  private final Observer observer;
  private final Opening opening;
  private final Thread thread;
  /** The next offset of each partition; -1 if it is not assigned or not read yet. The member's thread only. */
  private final long[] next;
  private volatile boolean leaving;
  private volatile String failure = "";

  Member(int number, Observer observer, int partitions, Opening opening) {
    this.number = number;
    this.observer = observer;
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

  /** Returns the failure that has ended the member; empty if there is none. */
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
          observer.committed(p, next[p]);
        }
      }
    }
  }

  // Calls of the client, on the member's thread.

  void onRecord(int partition, long offset) {
    next[partition] = offset + 1;
    observer.read(number, partition, offset);
  }

  void onAssigned(int partition) {
    next[partition] = -1;
    observer.assigned(number, partition);
  }

  /** Commits what was read before the partitions move on, so that the next owner reads no record twice. */
  void onRevoked(Client client) throws InterruptedException {
    commit(client);
  }

  void onReleased(int partition) {
    next[partition] = -1;
    observer.released(number, partition);
  }
}
