package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.loop.WatchedChannel;
import java.io.IOException;
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
 * <p>Owner of the loop only, but for {@link #bind} and {@link #localAddress}.
 */
public final class Acceptor {
  private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());
  /** How long no connection is accepted after the system refused one, for lack of descriptors for example. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Takes what was accepted, on the owner of the loop. */
  public interface Handler {
    /**
     * A peer has connected. An exception is logged, and the stream is closed.
     *
     * @param transport to make a {@link Connection} of, or to close
     */
    void onAccept(SocketTransport transport);

    /**
     * The system refused a connection, for lack of descriptors for example; in a tenth of a second the next attempt is
     * made. Logs a warning by default.
     *
     * @param cause what the system said
     */
    default void onAcceptFailed(IOException cause) {
      LOG.log(System.Logger.Level.WARNING, "a connection cannot be accepted: {0}", cause.toString());
    }
  }

  /**
   * Where and how to listen.
   *
   * @param address of a local interface, or the wildcard; port 0 takes a free one
   * @param backlog how many connections the kernel completes before they are accepted; the kernel may bound it
   * @param acceptsPerRound how many are accepted in a round of the loop, at most
   */
  public record Settings(InetSocketAddress address, int backlog, int acceptsPerRound) {
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
     * A backlog of 128 and 16 accepts a round.
     *
     * @param address of a local interface, or the wildcard; port 0 takes a free one
     * @return the settings
     */
    public static Settings of(InetSocketAddress address) {
      return new Settings(address, 128, 16);
    }
  }

  private final EventLoop loop;
  private final ServerSocketChannel channel;
  private final InetSocketAddress localAddress;
  private final int acceptsPerRound;
  private final Handler handler;
  private final Timer resume = new Timer(this::updateInterest);
  private @Nullable WatchedChannel watched;
  private boolean held;
  private boolean closed;

  private Acceptor(EventLoop loop, ServerSocketChannel channel, int acceptsPerRound, Handler handler)
      throws IOException {
    this.loop = loop;
    this.channel = channel;
    this.localAddress = (InetSocketAddress) Objects.requireNonNull(channel.getLocalAddress());
    this.acceptsPerRound = acceptsPerRound;
    this.handler = handler;
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
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.bind(settings.address(), settings.backlog());
      Acceptor acceptor = new Acceptor(loop, channel, settings.acceptsPerRound(), handler);
      loop.execute(acceptor::open);
      return acceptor;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException("cannot listen on " + settings.address() + ": " + e.getMessage(), e);
    }
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
    while (accepted < acceptsPerRound && !held && !closed) {
      SocketTransport transport;
      try {
        SocketChannel peer = channel.accept();
        if (peer == null) {
          break;
        }
        accepted++;
        transport = SocketTransport.accepted(peer);
      } catch (IOException e) {
        pause(e);
        break;
      } catch (Throwable e) { // such as no memory: the loop would come here again at once
        pause(new IOException(e.toString(), e));
        break;
      }
      hand(transport);
    }
    return accepted;
  }

  /** The listener is called until the connection is accepted, which it cannot be now: the loop would spin. */
  void pause(IOException cause) {
    loop.schedule(resume, loop.nowNanos() + PAUSE_NANOS);
    updateInterest();
    handler.onAcceptFailed(cause);
  }

  private void hand(SocketTransport transport) {
    try {
      handler.onAccept(transport);
    } catch (Throwable e) { // the others that wait have nothing to do with it
      transport.close();
      EventLoop.logFailure("an accepted connection cannot be handled", e);
    }
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
   * Stops listening: connections in the backlog are reset, accepted ones stay. The port is free after the loop's next
   * look at the network. Does nothing the second time.
   */
  public void close() {
    closed = true;
    loop.cancel(resume);
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
