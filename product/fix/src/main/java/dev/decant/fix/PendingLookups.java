package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.net.Acceptor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Logons that wait for a {@link SessionLookup} of the user. Each lookup has a virtual thread. A limited number runs at
 * the same time, and the others wait in their order. If a lookup has no result by its deadline, counted from the Logon,
 * its connection ends. The limits for connections before the logon apply to waiting Logons, in total and per address.
 *
 * <p>Owner of the acceptor's loop only.
 */
final class PendingLookups {
  private static final int AT_ONCE = 64;

  /** Continues a connection after its lookup, which has found settings, none, or failed. Owner of the loop. */
  @FunctionalInterface
  interface Result {
    void lookedUp(Handover handover, SessionId id, @Nullable SessionSettings found, @Nullable Throwable failure);
  }

  /** A Logon and its lookup. */
  private final class Pending {
    final Handover handover;
    final SessionId id;
    final long deadlineNanos;
    @Nullable
    Thread thread;
    boolean isOver;

    Pending(Handover handover, SessionId id, long deadlineNanos) {
      this.handover = handover;
      this.id = id;
      this.deadlineNanos = deadlineNanos;
    }

    /** Runs the lookup, on a thread of its own. */
    void lookUp() {
      SessionSettings found = null;
      Throwable failure = null;
      try {
        MessageView logon = new MessageView();
        int unused = logon.parse(handover.logon, 0, handover.logon.limit(), true); // Parsed before, without a fault.
        found = lookup.find(id, logon, handover.peer);
      } catch (Throwable e) { // Errors are caught, too: the connection waits for an outcome.
        failure = e;
      }
      SessionSettings settings = found;
      Throwable cause = failure;
      loop.execute(() -> done(this, settings, cause));
    }
  }

  private final EventLoop loop;
  private final Result result;
  private final SessionLookup lookup;
  private final long nanos;
  private final int most;
  private final int mostPerAddress;
  private final Timer deadline = new Timer(this::expire);
  /** All Logons without an outcome, in their order. */
  private final Set<Pending> all = new LinkedHashSet<>();
  /** Logons whose lookup has no thread yet. */
  private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
  /**
   * How many Logons wait, by the part of the address that is limited: an IPv4 address or an IPv6 network of 64 bits.
   */
  private final Map<Long, Integer> perAddress = new HashMap<>();
  /** How many lookups have a thread. */
  private int running;

  PendingLookups(EventLoop loop, SessionLookup lookup, long nanos, int most, int mostPerAddress, Result result) {
    this.loop = loop;
    this.result = result;
    this.lookup = lookup;
    this.nanos = nanos;
    this.most = most;
    this.mostPerAddress = mostPerAddress;
  }

  /** Returns why no further Logon may wait; null if one may. */
  @Nullable
  String refusal(Peer peer) {
    if (all.size() >= most) {
      return most + " Logons wait for their lookups already";
    }
    return perAddress.getOrDefault(address(peer), 0) >= mostPerAddress
        ? mostPerAddress + " Logons of this address wait for their lookups already"
        : null;
  }

  static long address(Peer peer) {
    return Acceptor.networkOf(peer.address().getAddress());
  }

  /** Starts a lookup, or queues it until another one has ended. */
  void add(Handover handover, SessionId id) {
    Pending added = new Pending(handover, id, loop.nowNanos() + nanos);
    all.add(added);
    perAddress.merge(address(handover.peer), 1, Integer::sum);
    waiting.add(added);
    if (!deadline.isScheduled()) {
      loop.schedule(deadline, added.deadlineNanos);
    }
    startNext();
  }

  private void startNext() {
    Pending next = running < AT_ONCE ? waiting.poll() : null;
    while (next != null) {
      if (!next.isOver) {
        running++;
        next.thread = Thread.ofVirtual().name("fix-lookup").start(next::lookUp);
      }
      next = running < AT_ONCE ? waiting.poll() : null;
    }
  }

  private void done(Pending pending, @Nullable SessionSettings found, @Nullable Throwable failure) {
    running--;
    if (end(pending)) {
      result.lookedUp(pending.handover, pending.id, found, failure);
    }
    startNext();
  }

  /** Removes a lookup. Returns false if the Logon has had its outcome before. */
  private boolean end(Pending pending) {
    if (pending.isOver) {
      return false;
    }
    pending.isOver = true;
    all.remove(pending);
    perAddress.computeIfPresent(address(pending.handover.peer), (address, count) -> count == 1 ? null : count - 1);
    return true;
  }

  private void expire() {
    List<Pending> expired = new ArrayList<>();
    for (Pending pending : all) {
      if (pending.deadlineNanos - loop.nowNanos() > 0) {
        break;
      }
      expired.add(pending);
    }
    for (Pending pending : expired) {
      giveUp(pending, "the lookup of " + ForeignText.word(pending.id.toString()) + " took longer than "
          + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
    if (!all.isEmpty()) {
      loop.schedule(deadline, all.iterator().next().deadlineNanos);
    }
  }

  private void giveUp(Pending pending, String reason) {
    if (end(pending)) {
      waiting.remove(pending);
      Thread busy = pending.thread;
      if (busy != null) {
        busy.interrupt();
      }
      pending.handover.refuse(new UnknownLogonException(true, reason));
    }
  }

  /** Refuses all waiting Logons, because the acceptor closes. */
  void close() {
    loop.cancel(deadline);
    for (Pending pending : List.copyOf(all)) {
      giveUp(pending, "the acceptor is closed");
    }
  }
}
