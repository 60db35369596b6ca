package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The messages that are not written when a connection ends, in the order of the output. When the socket takes no more
 * of them, this knows which of them no socket was given.
 *
 * <pre>
 *   slice at the socket        behind it
 *   +-----------+------------+ +---------------------+
 *   | written   | left       | | queued, or lost     |
 *   +-----------+------------+ +---------------------+
 * </pre>
 *
 * <p>Owner of the session only.
 */
public final class OutputRest {
  private final OutboundMessages out;
  /** The slice at the socket, if there is one, and those behind it. */
  private final List<ByteBuffer> slices;
  /** How many slices are at the socket: 0 or 1. */
  private final int atSocket;
  /** Messages that this connection has resent. No connection before had sent them. */
  private final UnsentMessages resent = new UnsentMessages();
  /** Copies of {@link OutboundMessages#resets} and {@link OutboundMessages#connections} for these messages. */
  private final long resets;
  private final long connections;
  /** The bytes that the connection has: those of the slice at the socket, and of queued slices. */
  private long queuedBytes;
  private boolean isEnded;

  OutputRest(OutboundMessages out, List<ByteBuffer> slices, int atSocket, UnsentMessages resent) {
    this.out = out;
    this.slices = slices;
    this.atSocket = atSocket;
    this.resent.set(resent);
    this.resets = out.resetsOfOutput();
    this.connections = out.connections();
    this.queuedBytes = bytes(slices.subList(0, atSocket));
  }

  private static long bytes(List<ByteBuffer> of) {
    long bytes = 0;
    for (ByteBuffer slice : of) {
      bytes += slice.remaining();
    }
    return bytes;
  }

  /** Returns true if no slice is behind the one at the socket. */
  boolean isEmpty() {
    return slices.size() == atSocket;
  }

  /** Returns the slices behind the one at the socket, as new buffers. The connection gets them next. */
  List<ByteBuffer> queue() {
    List<ByteBuffer> behind = slices.subList(atSocket, slices.size());
    queuedBytes += bytes(behind);
    return behind.stream().map(ByteBuffer::duplicate).toList();
  }

  /** Notes that the socket takes no more. Returns false if that was noted before. */
  boolean end() {
    boolean first = !isEnded;
    isEnded = true;
    return first;
  }

  long resets() {
    return resets;
  }

  long connections() {
    return connections;
  }

  /**
   * Returns the accepted messages that no socket was given. Session messages count only between two of them.
   *
   * @param bytesLeft how many bytes the connection has, and the socket has not taken
   */
  UnsentMessages unsent(long bytesLeft) {
    UnsentMessages found = new UnsentMessages();
    long written = queuedBytes - bytesLeft;
    if (written >= bytes(slices)) {
      return found; // Their memory may have other messages by now.
    }
    MessageView message = new MessageView();
    long resentUpTo = 0;
    long position = 0;
    for (ByteBuffer slice : slices) {
      int at = slice.position();
      while (at < slice.limit()) {
        int end = at + out.bytesOfMessage(slice, at);
        long number = number(message, slice, at, end);
        boolean isWritten = position < written;
        position += end - at;
        at = end;
        boolean isResent = message.flag(Tag.POSS_DUP_FLAG, false);
        if (isWritten) {
          resentUpTo = isResent ? Math.max(resentUpTo, number) : resentUpTo;
        } else if (!isResent && !MsgType.isAdmin(message.msgTypeKey())) {
          found.addRange(number, number);
        } else if (isResent && !resent.isEmpty() && number > resentUpTo) {
          found.addRange(Math.max(number, resent.first()), resent.last());
        }
      }
    }
    return found;
  }

  /** Parses a message of this session. A data field of its own dictionary may look like a fault behind the header. */
  private static long number(MessageView message, ByteBuffer slice, int from, int to) {
    int unused = message.parse(slice, from, to, false);
    return message.integer(Tag.MSG_SEQ_NUM);
  }
}
