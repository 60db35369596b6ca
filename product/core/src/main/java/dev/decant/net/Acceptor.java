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
 * Listens on a TCP port. It accepts a bounded number of connections per round of the loop, so a flood of them does not
 * hold up established ones. The others wait in the kernel's backlog.
 *
 * <p>Any host may connect. Until the user calls {@link Transport#authenticated()}, a connection is
 * <em>unauthenticated</em>: {@link Limits} bound the number of those connections, and one that exceeds their timeout is
 * closed. After a burst of that number, at most 4,000 of them are accepted per second.
 *
 * <p>Owner of the loop only, but for {@link #bind} and {@link #localAddress}.
 */
public final class Acceptor {
  private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());
  /**
   * How long no connection is accepted after the system refused one, for example for lack of descriptors. Each failure
   * in a row doubles the pause: an allocation without direct memory takes half a second before it fails.
   */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** How long connections wait in the backlog when they arrive faster than the rate allows. */
  private static final long RATE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The user of accepted connections. Called on the owner of the loop. */
  public interface Handler {
    /**
     * Takes a connection. An exception is logged, and the stream is closed.
     *
     * @param transport to make a {@link Connection} of, or to close
     */
    void onAccept(SocketTransport transport);

    /**
     * Decides by its address whether to take a connection. Called for each connection.
     *
     * @param from the address of the peer
     * @return false to close the connection at once, as {@link Drop#ADDRESS_RULE}; true by default
     */
    default boolean admits(InetSocketAddress from) {
      return true;
    }

    /**
     * Reports that the system refused a connection, for example for lack of descriptors. The acceptor tries again after
     * a pause of at least 100 ms. Logs a warning by default.
     *
     * @param cause the error of the system
     */
    default void onAcceptFailed(IOException cause) {
      LOG.log(System.Logger.Level.WARNING, "a connection cannot be accepted: {0}", cause.toString());
    }

    /**
     * Reports that a connection was closed before {@link #onAccept} took it. Has no effect by default.
     *
     * @param from the address of the peer
     */
    default void onDropped(InetSocketAddress from, DroppedException cause) {}
  }

  /** Why an unauthenticated connection was closed. */
  public enum Drop {
    /** The connection was not authenticated before the timeout. */
    TIMEOUT,
    /** The handler admits no connection from its address. */
    ADDRESS_RULE,
    /** Another connection of its address arrived, and this was the oldest of that address. */
    ADDRESS_BOUND,
    /** Another connection arrived, and this was the oldest of all. */
    BOUND,
    /** Another connection sent its first bytes, and this was the oldest active one, or the oldest of its address. */
    ACTIVE_BOUND
  }

  /** The end of a connection that was not authenticated. */
  public static final class DroppedException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

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

    /** Returns why the connection was closed. */
    public Drop reason() {
      return reason;
    }
  }

  /**
   * Bounds for unauthenticated connections. Beyond a bound the oldest connection is closed, but one that has sent no
   * byte is closed first.
   *
   * @param connections their number
   * @param perAddress their number from one IPv4 address, or from one IPv6 network of 64 bits
   * @param active number of connections that the handler has; with {@link Settings#afterFirstBytes} all have sent bytes
   * @param timeoutNanos how long the authentication may take after the accept
   */
  public record Limits(int connections, int perAddress, int active, long timeoutNanos) {

    /** 1,024 connections, 256 per address, 128 active ones, and 10 seconds. */
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
   * The settings of an acceptor.
   *
   * @param address of a local interface, or the wildcard; port 0 takes a free one
   * @param backlog how many connections the kernel completes before they are accepted; the kernel may bound it
   * @param acceptsPerRound how many connections one round of the loop accepts at most
   * @param afterFirstBytes true to pass a connection to the handler when its first bytes, or its end, have
   *     arrived. A silent connection then costs only a socket. False for a protocol in which this side speaks first
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
     * Returns settings with a backlog of 128, 16 accepts per round, each passed on at once, and {@link Limits#DEFAULT}.
     *
     * @param address of a local interface, or the wildcard; port 0 takes a free one
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
        handOver(peer);
      }

      @Override
      public void onDropped(InetSocketAddress from, DroppedException cause) {
        handler.onDropped(from, cause);
      }
    });
  }

  /**
   * Binds the port and begins to listen. Peers can connect when this returns, and the loop accepts them. Any thread.
   *
   * @param settings address, bounds and backlog
   * @param handler takes the connections
   * @throws IOException if the address cannot be bound; the message names it
   */
  public static Acceptor bind(EventLoop loop, Settings settings, Handler handler) throws IOException {
    return bind(loop, settings, handler, false);
  }

  /**
   * Binds the port like {@link #bind}, for a user that is not ready yet. Connections wait in the backlog until {@link
   * #holdAccepting} is called with false. Any thread.
   *
   * @param settings address, bounds and backlog
   * @param handler takes the connections
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
   * Returns the key of the bounds per address: an IPv4 address, or the first 64 bits of an IPv6 address. The owner of
   * an IPv6 network chooses the other bits for each connection. Any thread.
   *
   * @param address of a peer
   * @return a number that all addresses of one owner share
   */
  public static long networkOf(InetAddress address) {
    return UnauthenticatedPeer.networkOf(address);
  }

  /** Returns the local address with the port. Any thread. */
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
        loop.schedule(resume, loop.nowNanos() + RATE_PAUSE_NANOS);
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
      } catch (Throwable e) { // for example an OutOfMemoryError: without a pause the loop would spin here
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
      } else if (from != null) { // null: the peer has closed it already
        UnauthenticatedPeer peer = peers.add(transport, from);
        transport.unauthenticated(peer);
        if (settings.afterFirstBytes()) {
          transport.awaitFirstBytes(loop, peer);
        } else {
          peers.activate(peer);
          handOver(peer);
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
   * Accepts nothing for a pause. The selector reports a waiting connection until it is accepted, which is impossible
   * now, so the loop would spin.
   */
  void pause(IOException cause) {
    loop.schedule(resume, loop.nowNanos() + pauseNanos);
    pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
    updateInterest();
    handler.onAcceptFailed(cause);
  }

  private void handOver(UnauthenticatedPeer peer) {
    try {
      handler.onAccept(peer.transport);
      pauseNanos = PAUSE_NANOS;
    } catch (OutOfMemoryError e) { // the next connection would fail in the same way
      peer.transport.close();
      pause(new IOException("there is no memory for an accepted connection: " + e.getMessage(), e));
    } catch (Throwable e) { // other waiting connections are not affected
      peer.transport.close();
      EventLoop.logFailure("an accepted connection cannot be handled", e);
    }
  }

  /** Returns the number of unauthenticated connections, at most {@link Limits#connections()}. */
  public int unauthenticated() {
    return peers.size();
  }

  /**
   * Stops or resumes accepting. Connections that arrive meanwhile wait in the backlog.
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
   * Stops listening. Connections in the backlog are reset, and those that the handler has not taken are closed. The
   * others stay. The port is free when the loop next polls the network. Closing again has no effect.
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
      // The descriptor is released even if close throws, and it has accepted no connection.
    }
  }
}
