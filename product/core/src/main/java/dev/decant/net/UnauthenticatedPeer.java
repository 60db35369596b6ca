package dev.decant.net;

import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An accepted stream between the loop and its user, until the user knows who the peer is. The loop's reports of
 * readiness go into the queue of {@link UnauthenticatedPeers}, and the channel is not watched until its turn has come.
 *
 * <p>Owner of the loop only.
 */
final class UnauthenticatedPeer implements ReadyListener {
  final SocketTransport transport;
  final InetSocketAddress address;
  /** What connections of one address have in common, see {@link #networkOf}. */
  final long network;
  final long acceptedNanos;
  /** The next one in the queue. */
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
   * The address of an IPv4 peer. Of an IPv6 peer the first 64 bits: its owner chooses the others for each connection.
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

  /** Ends the bounds of strangers for this stream: it is closed, or its peer is authenticated. */
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

  /** The peer is authenticated, on another loop. Any thread. */
  void creditLater() {
    peers.creditLater();
  }

  @Override
  public int onReady(int operations) {
    readyOperations |= operations;
    awaitTurn();
    return 1;
  }

  /** Has the user called in turn. */
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

  /** The turn has come. Returns what the stream is ready for; a later report asks for another turn. */
  int takeTurn() {
    int operations = readyOperations;
    readyOperations = 0;
    isQueued = false;
    return operations;
  }

  /** Closes the stream, and tells its user if there is one yet. */
  void drop(IOException cause) {
    ReadyListener listener = user;
    if (listener != null) {
      listener.onLost(cause);
    }
    transport.close();
  }
}
