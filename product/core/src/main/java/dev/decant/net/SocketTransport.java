package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.loop.WatchedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A TCP socket in non-blocking mode, without Nagle's delay. */
public final class SocketTransport implements Transport {
  private final SocketChannel channel;
  private @Nullable WatchedChannel watched;
  /** The place of this stream among unauthenticated ones; null if it was not accepted, or is authenticated. */
  private @Nullable UnauthenticatedPeer peer;
  /** The place that this stream had on another loop. It credits the authentication to the rate of accepts there. */
  private @Nullable UnauthenticatedPeer placeLeft;
  private boolean drained = true;

  private SocketTransport(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
  }

  /**
   * Begins to connect.
   *
   * @param address a resolved address
   * @return the stream, connected or connecting
   * @throws IOException when the address cannot be reached at all
   */
  public static SocketTransport connect(InetSocketAddress address) throws IOException {
    return connect(address, null);
  }

  /**
   * Begins to connect from a given local address.
   *
   * @param address a resolved address
   * @param local the address to connect from, port 0 for any; null leaves both to the system
   * @return the stream, connected or connecting
   * @throws IOException when the local address cannot be bound, or the remote one cannot be reached at all
   */
  public static SocketTransport connect(InetSocketAddress address, @Nullable InetSocketAddress local)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      SocketTransport transport = new SocketTransport(channel);
      if (local != null) {
        channel.bind(local);
      }
      channel.connect(address);
      return transport;
    } catch (Throwable e) { // also an Error: no other object has the channel, so it would stay open
      channel.close();
      throw e;
    }
  }

  /**
   * Makes a stream of an accepted channel.
   *
   * @param channel the channel; closed if it cannot be used
   * @return the stream, connected
   * @throws IOException if the channel cannot be used
   */
  public static SocketTransport accepted(SocketChannel channel) throws IOException {
    try {
      return new SocketTransport(channel);
    } catch (Throwable e) { // also an Error: no other object has the channel, so it would stay open
      channel.close();
      throw e;
    }
  }

  /**
   * Returns the address of the other end.
   *
   * @return null if the channel is not connected
   * @throws IOException if the channel is closed
   */
  public @Nullable InetSocketAddress remoteAddress() throws IOException {
    return (InetSocketAddress) channel.getRemoteAddress();
  }

  /** Assigns the stream its place among unauthenticated ones. */
  void unauthenticated(UnauthenticatedPeer place) {
    peer = place;
  }

  /** Begins to watch for the first bytes of a stream that has no user yet. */
  void awaitFirstBytes(EventLoop loop, UnauthenticatedPeer place) throws IOException {
    watched = loop.watch(channel, SelectionKey.OP_READ, place);
    watched.leaveToSelector();
  }

  void pauseReports(boolean value) {
    WatchedChannel w = watched;
    if (w != null) {
      w.pause(value);
    }
  }

  @Override
  public void register(EventLoop loop, ReadyListener listener) throws IOException {
    int operations = channel.isConnected() ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
    UnauthenticatedPeer place = peer;
    if (place == null) {
      watched = loop.watch(channel, operations, listener);
      return;
    }
    place.user(listener);
    if (watched == null) {
      awaitFirstBytes(loop, place);
    }
  }

  @Override
  public boolean awaitTurn() {
    UnauthenticatedPeer place = peer;
    if (place == null || place.hasLeft()) {
      return false;
    }
    place.awaitTurn();
    return true;
  }

  @Override
  public void leaveLoop() {
    UnauthenticatedPeer place = peer;
    if (place != null) {
      peer = null;
      placeLeft = place;
      place.leave();
    }
    WatchedChannel w = watched;
    if (w != null) {
      watched = null;
      w.release();
    }
  }

  @Override
  public void authenticated() {
    UnauthenticatedPeer left = placeLeft;
    if (left != null) {
      placeLeft = null;
      left.creditLater();
    }
    UnauthenticatedPeer place = peer;
    if (place != null) {
      peer = null;
      place.authenticated();
      WatchedChannel w = watched;
      ReadyListener listener = place.user();
      if (w != null && listener != null) {
        w.handOver(listener);
      }
    }
  }

  @Override
  public boolean establish() throws IOException {
    if (!channel.finishConnect()) {
      return false;
    }
    want(SelectionKey.OP_CONNECT, false);
    want(SelectionKey.OP_READ, true);
    return true;
  }

  /**
   * Reads from the socket. A read that leaves room in the target has emptied the socket's buffer, which saves a second
   * system call.
   */
  @Override
  public int read(ByteBuffer target) throws IOException {
    int read = channel.read(target);
    drained = target.hasRemaining();
    return read;
  }

  @Override
  public boolean isDrained() {
    return drained;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    return length == 1 ? channel.write(sources[offset]) : channel.write(sources, offset, length);
  }

  @Override
  public void reportWritable(boolean wanted) {
    want(SelectionKey.OP_WRITE, wanted);
  }

  @Override
  public void reportReadable(boolean wanted) {
    want(SelectionKey.OP_READ, wanted);
  }

  private void want(int operation, boolean wanted) {
    WatchedChannel w = watched;
    if (w != null) {
      w.want(operation, wanted);
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() {
    UnauthenticatedPeer place = peer;
    if (place != null) {
      place.leave();
    }
    WatchedChannel w = watched;
    if (w != null) {
      w.close();
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      // The descriptor is released even if close throws, and it was never used.
    }
  }
}
