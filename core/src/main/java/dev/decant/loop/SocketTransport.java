package dev.decant.loop;

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
  private @Nullable SelectionKey key;
  private @Nullable EventLoop loop;

  private SocketTransport(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Starts connecting.
   *
   * @param address a resolved address
   * @return the stream, connected or connecting
   * @throws IOException when the address cannot be reached at all
   */
  public static SocketTransport connect(InetSocketAddress address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.connect(address);
      return new SocketTransport(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void register(EventLoop owned, Connection connection) throws IOException {
    int operations = channel.isConnected() ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
    key = channel.register(owned.selector(), operations, connection);
    loop = owned;
    changed();
  }

  @Override
  public boolean finishConnect() throws IOException {
    if (!channel.finishConnect()) {
      return false;
    }
    SelectionKey k = key;
    if (k != null) {
      change(k, SelectionKey.OP_READ);
    }
    return true;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    return length == 1 ? channel.write(sources[offset]) : channel.write(sources, offset, length);
  }

  @Override
  public void wantWritable(boolean wanted) {
    interest(SelectionKey.OP_WRITE, wanted);
  }

  @Override
  public void wantReadable(boolean wanted) {
    interest(SelectionKey.OP_READ, wanted);
  }

  private void interest(int operation, boolean wanted) {
    SelectionKey k = key;
    if (k == null || !k.isValid()) {
      return;
    }
    int before = k.interestOps();
    int after = wanted ? before | operation : before & ~operation;
    if (before != after) {
      change(k, after);
    }
  }

  private void change(SelectionKey k, int operations) {
    k.interestOps(operations);
    changed();
  }

  private void changed() {
    EventLoop l = loop;
    if (l != null) {
      l.channelsChanged();
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The descriptor is released all the same, and nobody waits for these bytes any more.
    }
    changed();
  }
}
