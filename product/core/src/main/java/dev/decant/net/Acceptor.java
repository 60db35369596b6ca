package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.loop.WatchedChannel;
import java.io.IOException;
import java.io.Serial;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Listens on a TCP port. It takes a bounded number of waiting connections in a round of the loop, so a flood of them
 * does not hold up established ones. The rest stays in the kernel's backlog.
 *
 * <p>Anybody may connect. Until the user calls {@link Transport#authenticated()}, a connection counts as a stranger's:
 * {@link Limits} bound the number of those, and one that takes longer than their time-out is closed. Beyond a burst of
 * that number, 4,000 strangers a second are accepted.
 *
 * <p>Owner of the loop only, but for {@link #bind} and {@link #localAddress}.
 */
public final class Acceptor {
  private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());
  /**
   * How long no connection is accepted after the system refused one, for lack of descriptors for example. Each failure
   * in a row doubles it: to learn that there is no direct memory, for example, takes half a second itself.
   */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** How long strangers wait in the backlog when they come too fast. */
  private static final long CROWD_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Takes what was accepted, on the owner of the loop. */
  public interface Handler {
    /**
     * A peer has connected. An exception is logged, and the stream is closed.
     *
     * @param transport to make a {@link Connection} of, or to close
     */
    void onAccept(SocketTransport transport);

    /**
     * A peer has connected, and nothing is known but its address. Called for each connection.
     *
     * @param from the address of the peer
     * @return false to close the connection at once, as {@link Drop#ADDRESS_RULE}; true by default
     */
    default boolean admits(InetSocketAddress from) {
      return true;
    }

    /**
     * The system refused a connection, for lack of descriptors for example; in a tenth of a second the next attempt is
     * made. Logs a warning by default.
     *
     * @param cause what the system said
     */
    default void onAcceptFailed(IOException cause) {
      LOG.log(System.Logger.Level.WARNING, "a connection cannot be accepted: {0}", cause.toString());
    }

    /**
     * A connection was closed that had sent nothing yet, so that {@link #onAccept} has not seen it. Does nothing by
     * default.
     *
     * @param from the address of the peer
     * @param cause why
     */
    default void onDropped(InetSocketAddress from, DroppedException cause) {}
  }

  /** Why a connection of a stranger was closed. */
  public enum Drop {
    /** It was not authenticated in time. */
    TIMEOUT,
    /** The handler admits no connection from its address. */
    ADDRESS_RULE,
    /** Another one of its address came, and it was the oldest of that address. */
    ADDRESS_BOUND,
    /** Another one came, and it was the oldest of all. */
    BOUND,
    /** Another one sent its first bytes, and it was the oldest of those that had; or of those of its address. */
    ACTIVE_BOUND
  }

  /** The end of a connection that was not authenticated. */
  public static final class DroppedException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. */
    private final Drop reason;

    DroppedException(Drop reason, Limits limits) {
      super(switch (reason) {
        case TIMEOUT -> "not authenticated within " + TimeUnit.NANOSECONDS.toMillis(limits.timeoutNanos()) + " ms";
        case ADDRESS_RULE -> "connections from its address are not admitted";
        case ADDRESS_BOUND -> "its address has " + limits.perAddress()
            + " connections that are not authenticated, and this was the oldest";
        case BOUND -> limits.connections() + " connections are not authenticated, and this was the oldest";
        case ACTIVE_BOUND -> limits.active()
            + " connections that have sent bytes are not authenticated, and this was the oldest";
      });
      this.reason = reason;
    }

    /**
     * Why it was closed.
     *
     * @return the reason
     */
    public Drop reason() {
      return reason;
    }
  }

  /**
   * Bounds for the connections that are not authenticated. Beyond a bound the oldest one is closed, one without a byte
   * first.
   *
   * @param connections their number
   * @param perAddress the number of those of one IPv4 address, or of one IPv6 network of 64 bits
   * @param active the number of those that the handler has; with {@link Settings#afterFirstBytes} these have sent bytes
   * @param timeoutNanos how long one may take to be authenticated, from its accept on
   */
  public record Limits(int connections, int perAddress, int active, long timeoutNanos) {

    /** 1,024 connections, 256 of one address, 128 active ones, and 10 seconds. */
    public static final Limits DEFAULT = new Limits(1_024, 256, 128, TimeUnit.SECONDS.toNanos(10));

    /** Checks the bounds. */
    public Limits {
      if (connections < 1 || perAddress < 1 || active < 1 || timeoutNanos < 1) {
        throw new IllegalArgumentException("connections: " + connections + ", perAddress: " + perAddress + ", active: "
            + active + ", timeoutNanos: " + timeoutNanos + "; each is 1 at least");
      }
    }
  }

  /**
   * Where and how to listen.
   *
   * @param address of a local interface, or the wildcard; port 0 takes a free one
   * @param backlog how many connections the kernel completes before they are accepted; the kernel may bound it
   * @param acceptsPerRound how many are accepted in a round of the loop, at most
   * @param afterFirstBytes true to hand a connection to the handler when its first bytes, or its end, have come. One
   *     that sends nothing then costs a socket and no more. False for a protocol in which this side speaks first
   * @param limits for connections that are not authenticated
   */
  public record Settings(InetSocketAddress address, int backlog, int acceptsPerRound, boolean afterFirstBytes,
      Limits limits) {
    /** Checks the bounds. */
    public Settings {
      if (address.isUnresolved()) {
        throw new IllegalArgumentException("address: " + address + " is not resolved");
      }
      if (backlog < 1) {
        throw new IllegalArgumentException("backlog: " + backlog + " is less than 1");
      }
      if (acceptsPerRound < 1) {
        throw new IllegalArgumentException("acceptsPerRound: " + acceptsPerRound + " is less than 1");
      }
    }

    /**
     * A backlog of 128, 16 accepts a round, each handed over at once, and {@link Limits#DEFAULT}.
     *
     * @param address of a local interface, or the wildcard; port 0 takes a free one
     * @return the settings
     */
    public static Settings of(InetSocketAddress address) {
      return new Settings(address, 128, 16, false, Limits.DEFAULT);
    }
  }

  private final EventLoop loop;
  private final ServerSocketChannel channel;
  private final InetSocketAddress localAddress;
  private final Settings settings;
  private final Handler handler;
  private final UnauthenticatedPeers peers;
  private long pauseNanos = PAUSE_NANOS;
  private final Timer resume = new Timer(this::updateInterest);
  private @Nullable WatchedChannel watched;
  private boolean held;
  private boolean closed;

  private Acceptor(EventLoop loop, ServerSocketChannel channel, Settings settings, Handler handler, boolean held)
      throws IOException {
    this.loop = loop;
    this.channel = channel;
    this.localAddress = (InetSocketAddress) Objects.requireNonNull(channel.getLocalAddress());
    this.settings = settings;
    this.handler = handler;
    this.held = held;
    this.peers = new UnauthenticatedPeers(loop, settings.limits(), new UnauthenticatedPeers.Owner() {
      @Override
      public void onFirstBytes(UnauthenticatedPeer peer) {
        hand(peer);
      }

      @Override
      public void onDropped(InetSocketAddress from, DroppedException cause) {
        handler.onDropped(from, cause);
      }
    });
  }

  /**
   * Binds the port and begins to listen: peers can connect when this returns, and are accepted by the loop. Any thread.
   *
   * @param loop the loop
   * @param settings where and how
   * @param handler takes the connections
   * @return the acceptor
   * @throws IOException if the address cannot be bound; the message names it
   */
  public static Acceptor bind(EventLoop loop, Settings settings, Handler handler) throws IOException {
    return bind(loop, settings, handler, false);
  }

  /**
   * As {@link #bind}, for a user that is not ready yet: peers that connect wait in the backlog until
   * {@link #holdAccepting} lets them in. Any thread.
   *
   * @param loop the loop
   * @param settings where and how
   * @param handler takes the connections
   * @return the acceptor
   * @throws IOException if the address cannot be bound; the message names it
   */
  public static Acceptor bindHeld(EventLoop loop, Settings settings, Handler handler) throws IOException {
    return bind(loop, settings, handler, true);
  }

  private static Acceptor bind(EventLoop loop, Settings settings, Handler handler, boolean held) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.bind(settings.address(), settings.backlog());
      Acceptor acceptor = new Acceptor(loop, channel, settings, handler, held);
      loop.execute(acceptor::open);
      return acceptor;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException("cannot listen on " + settings.address() + ": " + e.getMessage(), e);
    }
  }

  /**
   * What the bounds of one address count by: an IPv4 address, or the first 64 bits of an IPv6 one. The owner of an IPv6
   * network chooses the other bits for each connection. Any thread.
   *
   * @param address of a peer
   * @return a number that all addresses of its owner have
   */
  public static long networkOf(InetAddress address) {
    return UnauthenticatedPeer.networkOf(address);
  }

  /**
   * Where it listens. Any thread.
   *
   * @return the address with the port
   */
  public InetSocketAddress localAddress() {
    return localAddress;
  }

  private void open() {
    try {
      if (!closed) {
        watched = loop.watch(channel, held ? 0 : SelectionKey.OP_ACCEPT, this::accept);
      }
    } catch (IOException e) {
      handler.onAcceptFailed(e);
    }
  }

  private int accept(int operations) {
    int accepted = 0;
    while (accepted < settings.acceptsPerRound() && !held && !closed && !resume.isScheduled()) {
      if (!peers.mayAccept()) {
        loop.schedule(resume, loop.nowNanos() + CROWD_PAUSE_NANOS);
        updateInterest();
        break;
      }
      try {
        SocketChannel peer = channel.accept();
        if (peer == null) {
          break;
        }
        accepted++;
        take(SocketTransport.accepted(peer));
      } catch (IOException e) {
        pause(e);
      } catch (Throwable e) { // such as no memory: the loop would come here again at once
        pause(new IOException(e.toString(), e));
      }
    }
    return accepted;
  }

  private void take(SocketTransport transport) {
    boolean done = false;
    try {
      InetSocketAddress from = transport.remoteAddress();
      if (from != null && !handler.admits(from)) {
        peers.refused();
        handler.onDropped(from, new DroppedException(Drop.ADDRESS_RULE, settings.limits()));
      } else if (from != null) { // otherwise it has gone already
        UnauthenticatedPeer peer = peers.add(transport, from);
        transport.unauthenticated(peer);
        if (settings.afterFirstBytes()) {
          transport.awaitFirstBytes(loop, peer);
        } else {
          peers.activate(peer);
          hand(peer);
        }
        done = true;
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection has ended before it was looked at: {0}", e.toString());
    } finally {
      if (!done) {
        transport.close();
      }
    }
  }

  /**
   * Accepts nothing for a while. The listener is called until the connection is accepted, which it cannot be now: the
   * loop would spin.
   */
  void pause(IOException cause) {
    loop.schedule(resume, loop.nowNanos() + pauseNanos);
    pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
    updateInterest();
    handler.onAcceptFailed(cause);
  }

  private void hand(UnauthenticatedPeer peer) {
    try {
      handler.onAccept(peer.transport);
      pauseNanos = PAUSE_NANOS;
    } catch (OutOfMemoryError e) { // the next one would find none either
      peer.transport.close();
      pause(new IOException("there is no memory for an accepted connection: " + e.getMessage(), e));
    } catch (Throwable e) { // the others that wait have nothing to do with it
      peer.transport.close();
      EventLoop.logFailure("an accepted connection cannot be handled", e);
    }
  }

  /**
   * How many connections are not authenticated.
   *
   * @return their number, within {@link Limits#connections()}
   */
  public int unauthenticated() {
    return peers.size();
  }

  /**
   * Accepts nothing for a while, or again: what connects meanwhile waits in the backlog.
   *
   * @param value true to stop, false to resume
   */
  public void holdAccepting(boolean value) {
    held = value;
    updateInterest();
  }

  private void updateInterest() {
    WatchedChannel w = watched;
    if (w != null) {
      w.want(SelectionKey.OP_ACCEPT, !held && !resume.isScheduled());
    }
  }

  /**
   * Stops listening: connections in the backlog are reset, and those that the handler has not seen are closed. The
   * others stay. The port is free after the loop's next look at the network. Does nothing the second time.
   */
  public void close() {
    closed = true;
    loop.cancel(resume);
    peers.close();
    WatchedChannel w = watched;
    if (w != null) {
      w.close();
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      // The descriptor is released all the same, and nobody was accepted.
    }
  }
}
