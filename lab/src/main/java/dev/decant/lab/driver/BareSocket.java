package dev.decant.lab.driver;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.RequestHeader;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connection to a broker with nothing around it: a blocking channel, on which whole requests are written and their
 * whole answers read, which come in the order of the requests. One thread, but for {@link #close}, which ends a read or
 * write of another one. Nothing is allocated once it is open.
 *
 * <pre>
 *   0        4
 *   | length | API key int16, version int16 | correlation id int32 | client id | tags | body ...     what is written
 *   | length | correlation id int32 | tags | body ...                                                what is read
 * </pre>
 */
final class BareSocket implements AutoCloseable {
  /** How many requests may be written before the answer to the first of them is read. */
  static final int MOST_ON_THE_WAY = 2;

  private static final int LENGTH_BYTES = Integer.BYTES;

  private final SocketChannel channel;
  private final int mostAnswerBytes;
  /** The answer that was read last, and up to the position what has come of the next one. */
  private final ByteBuffer answer;
  private final ProtocolReader reader = new ProtocolReader();
  /** Index of the end of the answer that was read last. */
  private int end;
  /** Requests so far; the correlation id of the last one. */
  private int written;
  private int answered;

  /**
   * Connects to a broker.
   *
   * @param broker where it is
   * @param mostAnswerBytes of an answer behind its length; a longer one is an error
   */
  BareSocket(InetSocketAddress broker, int mostAnswerBytes) throws IOException {
    this.mostAnswerBytes = mostAnswerBytes;
    answer = ByteBuffer.allocateDirect(LENGTH_BYTES + mostAnswerBytes);
    channel = SocketChannel.open(broker);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /**
   * Connects to the broker that leads the first partitions of the topic, which the first bootstrap address knows.
   *
   * @param spec tells cluster and topic
   * @param partitions how many of the topic one broker has to lead
   * @param mostAnswerBytes of an answer behind its length; a longer one is an error
   * @throws UncheckedIOException when there is no such broker, or no connection to it
   */
  static BareSocket toLeader(WorkSpec spec, int partitions, int mostAnswerBytes) {
    ClientConfig config = ClientConfig.read(spec.access().clientConfig());
    if (!config.securityProtocol().equals("PLAINTEXT")) {
      throw new IllegalArgumentException(config + ": security.protocol=" + config.securityProtocol()
          + ": bare-socket has no such connections; leave it out of the clients");
    }
    String first = spec.bootstrap().split(",", 2)[0].strip();
    int colon = first.lastIndexOf(':');
    InetSocketAddress any = new InetSocketAddress(first.substring(0, colon),
        Integer.parseInt(first.substring(colon + 1)));
    try {
      InetSocketAddress leader;
      try (BareSocket asked = new BareSocket(any, BareMessages.mostMetadataBytes(spec.partitions()))) {
        leader = BareMessages.leader(asked.exchange(BareMessages.metadata(spec.topic())), partitions);
      }
      return new BareSocket(leader, mostAnswerBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("no connection to the leader of the partitions: " + e.getMessage(), e);
    }
  }

  /**
   * Writes a request and reads its answer, however long the broker takes.
   *
   * @param request of a flexible version, from 0 to its limit; its correlation id is set here
   * @return stands at the answer's body; valid until the next call
   * @throws IOException when the connection is gone, or the answer is not that of the request
   */
  ProtocolReader exchange(ByteBuffer request) throws IOException {
    write(request);
    return read();
  }

  /**
   * Writes a request, however long the broker takes to let it in.
   *
   * @param request of a flexible version, from 0 to its limit; its correlation id is set here. It may be changed again
   *        once this has returned
   * @throws IllegalStateException when {@link #MOST_ON_THE_WAY} are not answered
   * @throws IOException when the connection is gone
   */
  void write(ByteBuffer request) throws IOException {
    if (onTheWay() == MOST_ON_THE_WAY) {
      throw new IllegalStateException("there are " + MOST_ON_THE_WAY + " requests on the way");
    }
    request.putInt(LENGTH_BYTES + RequestHeader.CORRELATION_ID_OFFSET, ++written).rewind();
    while (request.hasRemaining()) {
      channel.write(request); // once, but for requests larger than what the kernel takes
    }
  }

  /** How many requests are written whose answers are not read. */
  int onTheWay() {
    return written - answered;
  }

  /**
   * Reads the answer to the first request on the way, however long the broker takes.
   *
   * @return stands at the answer's body; valid until the next call of this
   * @throws IOException when the connection is gone, or the answer is not that of the request
   */
  ProtocolReader read() throws IOException {
    readAnswer();
    reader.wrap(answer, LENGTH_BYTES, end);
    int correlationId = reader.readInt();
    if (correlationId != ++answered) {
      throw new IOException("the broker answered the request " + correlationId + " instead of " + answered);
    }
    reader.skipTaggedFields();
    return reader;
  }

  /** Reads length and answer, mostly at once, and sometimes a part of the next answer, or all of it. */
  private void readAnswer() throws IOException {
    answer.flip().position(end).compact();
    readUntil(LENGTH_BYTES);
    int length = answer.getInt(0);
    if (length < 0 || length > mostAnswerBytes) {
      throw new IOException("the broker announced an answer of " + length + " bytes");
    }
    end = LENGTH_BYTES + length;
    readUntil(end);
    if (onTheWay() == 1 && answer.position() > end) {
      throw new IOException("the broker sent " + (answer.position() - end) + " bytes that nobody asked for");
    }
  }

  private void readUntil(int index) throws IOException {
    while (answer.position() < index) {
      if (channel.read(answer) < 0) {
        throw new EOFException("the broker has closed the connection");
      }
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
