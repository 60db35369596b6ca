package dev.decant.net;

import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An accepted stream between the loop and its user, until the user knows the peer. The loop's reports of readiness go
 * into the queue of {@link UnauthenticatedPeers}, and the channel is not watched until its turn has come.
 *
 * <p>Owner of the loop only.
 */
final class UnauthenticatedPeer implements ReadyListener {
  final SocketTransport transport;
  final InetSocketAddress address;
  /** The number that all addresses of the peer's owner share, see {@link #networkOf}. */
  final long network;
  final long acceptedNanos;
  /** The next stream in the queue for a turn. */
  @Nullable
  UnauthenticatedPeer nextInTurn;

  private final UnauthenticatedPeers peers;
  private @Nullable ReadyListener user;
  private int readyOperations;
  private boolean isQueued;
  private boolean hasLeft;

  UnauthenticatedPeer(UnauthenticatedPeers peers, SocketTransport transport, InetSocketAddress address,
      long acceptedNanos) {
    this.peers = peers;
    this.transport = transport;
    this.address = address;
    this.network = networkOf(address.getAddress());
    this.acceptedNanos = acceptedNanos;
  }

  /**
   * Returns an IPv4 address, or the first 64 bits of an IPv6 address: the owner of an IPv6 network chooses the other
   * bits for each connection.
   */
  static long networkOf(InetAddress address) {
    byte[] bytes = address.getAddress();
    return bytes.length < Long.BYTES ? ByteBuffer.wrap(bytes).getInt() : ByteBuffer.wrap(bytes).getLong();
  }

  void user(ReadyListener listener) {
    user = listener;
  }

  @Nullable
  ReadyListener user() {
    return user;
  }

  boolean hasLeft() {
    return hasLeft;
  }

  /** Ends the bounds for this stream, because it is closed or its peer is authenticated. */
  void leave() {
    if (!hasLeft) {
      hasLeft = true;
      peers.remove(this);
    }
  }

  void authenticated() {
    if (!hasLeft) {
      peers.creditBack();
      leave();
    }
  }

  /** Credits an authentication on another loop. Any thread. */
  void creditLater() {
    peers.creditLater();
  }

  @Override
  public int onReady(int operations) {
    readyOperations |= operations;
    awaitTurn();
    return 1;
  }

  /** Queues the stream for a turn, in which its user is called. */
  void awaitTurn() {
    if (!isQueued) {
      isQueued = true;
      transport.pauseReports(true);
      peers.enqueue(this);
    }
  }

  boolean isQueued() {
    return isQueued;
  }

  /** Begins a turn. Returns the operations that the stream is ready for; a later report queues it for another turn. */
  int takeTurn() {
    int operations = readyOperations;
    readyOperations = 0;
    isQueued = false;
    return operations;
  }

  /** Closes the stream, and reports that to its user if there is one yet. */
  void drop(IOException cause) {
    ReadyListener listener = user;
    if (listener != null) {
      listener.onLost(cause);
    }
    transport.close();
  }
}
