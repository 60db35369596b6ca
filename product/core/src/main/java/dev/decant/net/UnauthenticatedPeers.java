package dev.decant.net;

import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The accepted connections of an {@link Acceptor} whose peers are not authenticated, within its {@link
 * Acceptor.Limits}. Any host may open them, so they share bounds and turns.
 *
 * <pre>
 *   accepted -> silent -> active -> authenticated
 *               |         |
 *               |         the user has it, and memory for it
 *               the acceptor has it: no byte has come yet
 * </pre>
 *
 * <p>Beyond a bound the oldest connection is closed, but a silent one first. A peer that sends its first bytes at once,
 * as counterparties do, therefore gets through any number of silent connections. An address with half of the active
 * connections makes room from among its own. Before this rule, a single host with 4,000 connections per second closed
 * each other connection within 32 ms, and no TLS handshake could complete.
 *
 * <p>Connections that are ready wait in a queue. A round of the loop serves the queue for half a millisecond, or one
 * connection if that takes longer. All other channels of the loop have their turn in each round. The rate of accepts is
 * bounded, too. Otherwise unauthenticated peers could keep the loop busy all the time, and sessions would wait for it.
 * A peer that becomes authenticated does not count in that rate.
 *
 * <p>Owner of the loop only.
 */
final class UnauthenticatedPeers implements Agent {
  private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  /**
   * The time that one unauthenticated connection takes from the rate: after a burst of {@link
   * Acceptor.Limits#connections()}, 4,000 per second.
   */
  private static final long NANOS_PER_CONNECTION = TimeUnit.MICROSECONDS.toNanos(250);
  /** Most expired connections that one round closes. */
  private static final int MOST_EXPIRED_AT_ONCE = 16;

  /** The acceptor, as this class calls it. */
  interface Owner {
    /** Passes a stream to the user, because its first bytes have arrived. */
    void onFirstBytes(UnauthenticatedPeer peer);

    /** Reports that a stream was closed before the user had it. */
    void onDropped(InetSocketAddress from, Acceptor.DroppedException cause);
  }

  private final EventLoop loop;
  private final Acceptor.Limits limits;
  private final Owner owner;
  private final Timer timeout = new Timer(this::expire);
  /** All unauthenticated connections, in the order of accepting. */
  private final Set<UnauthenticatedPeer> all = new LinkedHashSet<>();
  /** The connections that have sent bytes, in the order of their first bytes. */
  private final Set<UnauthenticatedPeer> active = new LinkedHashSet<>();
  private final Map<Long, Integer> perNetwork = new HashMap<>();
  private @Nullable UnauthenticatedPeer firstInTurn;
  private @Nullable UnauthenticatedPeer lastInTurn;
  private boolean isAgent;
  private boolean closed;
  /** Number of connections that the rate allowed at the time of the last count, and that time. */
  private long credits;
  private long creditedNanos;

  UnauthenticatedPeers(EventLoop loop, Acceptor.Limits limits, Owner owner) {
    this.loop = loop;
    this.limits = limits;
    this.owner = owner;
    this.credits = limits.connections();
    this.creditedNanos = loop.clock().nanoTime();
  }

  /** Returns true if the rate allows another connection now. */
  boolean mayAccept() {
    long earned = (loop.nowNanos() - creditedNanos) / NANOS_PER_CONNECTION;
    if (earned > 0) {
      creditedNanos += earned * NANOS_PER_CONNECTION;
      credits = Math.min(limits.connections(), credits + earned);
    }
    return credits > 0;
  }

  /** Returns a credit for a peer that was authenticated: it does not count in the rate. */
  void creditBack() {
    credits = Math.min(limits.connections(), credits + 1);
  }

  /** Counts a connection in the rate that was refused at once and has no place. */
  void refused() {
    credits--;
  }

  /** Returns a credit like {@link #creditBack}. Any thread. */
  void creditLater() {
    loop.execute(this::creditBack);
  }

  int size() {
    return all.size();
  }

  /** Adds a connection; beyond a bound another one is closed for it. */
  UnauthenticatedPeer add(SocketTransport transport, InetSocketAddress address) {
    UnauthenticatedPeer peer = new UnauthenticatedPeer(this, transport, address, loop.nowNanos());
    credits--;
    if (perNetwork.getOrDefault(peer.network, 0) >= limits.perAddress()) {
      dropOldest(other -> other.network == peer.network, Acceptor.Drop.ADDRESS_BOUND);
    } else if (all.size() >= limits.connections()) {
      dropOldest(other -> true, Acceptor.Drop.BOUND);
    }
    if (!isAgent) {
      isAgent = true;
      loop.add(this);
    }
    if (all.isEmpty()) {
      loop.schedule(timeout, peer.acceptedNanos + limits.timeoutNanos());
    }
    all.add(peer);
    perNetwork.merge(peer.network, 1, Integer::sum);
    return peer;
  }

  private void dropOldest(Predicate<UnauthenticatedPeer> which, Acceptor.Drop reason) {
    UnauthenticatedPeer oldest = null;
    for (UnauthenticatedPeer peer : all) {
      if (which.test(peer)) {
        if (!active.contains(peer)) {
          oldest = peer;
          break;
        }
        oldest = oldest == null ? peer : oldest;
      }
    }
    if (oldest != null) {
      drop(oldest, reason);
    }
  }

  private void drop(UnauthenticatedPeer peer, Acceptor.Drop reason) {
    boolean isUnseen = !active.contains(peer);
    Acceptor.DroppedException cause = new Acceptor.DroppedException(reason, limits);
    try {
      peer.drop(cause);
    } catch (Throwable e) { // the place must become free even if the user fails
      EventLoop.logFailure("a connection could not be told of its end", e);
    }
    peer.leave();
    if (isUnseen) {
      owner.onDropped(peer.address, cause);
    }
  }

  /** Marks a connection as active: its user has it, and may take memory for it. */
  void activate(UnauthenticatedPeer peer) {
    if (active.size() >= limits.active()) {
      drop(oldestActive(peer.network), Acceptor.Drop.ACTIVE_BOUND);
    }
    active.add(peer);
  }

  /** Returns the oldest active connection of a network that has half of all; otherwise the oldest of all. */
  private UnauthenticatedPeer oldestActive(long network) {
    UnauthenticatedPeer oldest = null;
    int count = 0;
    for (UnauthenticatedPeer peer : active) {
      if (peer.network == network) {
        oldest = oldest == null ? peer : oldest;
        count++;
      }
    }
    return oldest != null && 2 * count >= active.size() ? oldest : active.iterator().next();
  }

  /** Removes a connection. Called by the peer that leaves. */
  void remove(UnauthenticatedPeer peer) {
    if (all.remove(peer)) {
      active.remove(peer);
      perNetwork.computeIfPresent(peer.network, (network, count) -> count == 1 ? null : count - 1);
      removeAgentIfDone();
    }
  }

  void enqueue(UnauthenticatedPeer peer) {
    UnauthenticatedPeer last = lastInTurn;
    if (last == null) {
      firstInTurn = peer;
    } else {
      last.nextInTurn = peer;
    }
    lastInTurn = peer;
    loop.signal(); // this agent serves the queue in the round that follows at once
  }

  @Override
  public int doWork() {
    UnauthenticatedPeer peer = firstInTurn;
    if (peer == null) {
      return 0;
    }
    long beganNanos = loop.clock().nanoTime();
    int served = 0;
    while (peer != null) {
      firstInTurn = peer.nextInTurn;
      lastInTurn = firstInTurn == null ? null : lastInTurn;
      peer.nextInTurn = null;
      serve(peer);
      served++;
      peer = firstInTurn;
      if (peer != null && loop.clock().nanoTime() - beganNanos >= TURN_NANOS) {
        loop.signal();
        return served;
      }
    }
    return served;
  }

  private void serve(UnauthenticatedPeer peer) {
    int operations = peer.takeTurn();
    if (peer.hasLeft()) {
      return; // authenticated meanwhile: its user watches the channel, which reports its readiness again
    }
    try {
      if (!active.contains(peer)) {
        activate(peer);
        owner.onFirstBytes(peer);
      }
      if (peer.user() != null && !peer.hasLeft()) {
        peer.user().onReady(operations);
      }
    } catch (Throwable e) { // as for a channel of the loop: other connections go on
      EventLoop.logFailure("a connection of the event loop failed", e);
    }
    if (!peer.hasLeft() && !peer.isQueued()) {
      peer.transport.pauseReports(false);
    }
  }

  /** Closes connections that were not authenticated in time. */
  private void expire() {
    for (int i = 0; i < MOST_EXPIRED_AT_ONCE && !all.isEmpty(); i++) {
      UnauthenticatedPeer oldest = all.iterator().next();
      if (loop.nowNanos() - oldest.acceptedNanos < limits.timeoutNanos()) {
        break;
      }
      drop(oldest, Acceptor.Drop.TIMEOUT);
    }
    if (!all.isEmpty()) { // other expired ones follow in the next round
      loop.schedule(timeout, all.iterator().next().acceptedNanos + limits.timeoutNanos());
    }
  }

  /** Closes the connections that no user has. Connections with a user stay, and are served. */
  void close() {
    closed = true;
    for (UnauthenticatedPeer peer : all.toArray(UnauthenticatedPeer[]::new)) {
      if (!active.contains(peer)) {
        peer.drop(new IOException("the acceptor is closed"));
        peer.leave();
      }
    }
    removeAgentIfDone();
  }

  private void removeAgentIfDone() {
    if (all.isEmpty()) {
      loop.cancel(timeout);
      if (closed && isAgent) {
        isAgent = false;
        loop.execute(() -> loop.remove(this)); // later: the caller may be this agent
      }
    }
  }
}
