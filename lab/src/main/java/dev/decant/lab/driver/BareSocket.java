package dev.decant.lab.driver;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.protocol.RequestHeader;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connection to a broker with nothing around it: a blocking channel, on which a whole request is written and its
 * whole answer read before the next one. One thread. Nothing is allocated once it is open.
 *
 * <pre>
 *   0        4
 *   | length | API key int16, version int16 | correlation id int32 | client id | tags | body ...     what is written
 *   | length | correlation id int32 | tags | body ...                                                what is read
 * </pre>
 */
final class BareSocket implements AutoCloseable {
  private static final int LENGTH_BYTES = Integer.BYTES;

  private final SocketChannel channel;
  private final int mostAnswerBytes;
  private final ByteBuffer answer;
  private final BytesReader reader = new BytesReader();
  private int correlationId;

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
  BytesReader exchange(ByteBuffer request) throws IOException {
    request.putInt(LENGTH_BYTES + RequestHeader.CORRELATION_ID_OFFSET, ++correlationId).rewind();
    while (request.hasRemaining()) {
      channel.write(request); // once, but for requests larger than what the kernel takes
    }
    int end = readAnswer();
    reader.wrap(answer, LENGTH_BYTES, end);
    int answered = reader.readInt();
    if (answered != correlationId) {
      throw new IOException("the broker answered the request " + answered + " instead of " + correlationId);
    }
    reader.skipTaggedFields();
    return reader;
  }

  /** Reads length and answer, mostly at once; the index of the answer's end. */
  private int readAnswer() throws IOException {
    answer.clear();
    readUntil(LENGTH_BYTES);
    int length = answer.getInt(0);
    if (length < 0 || length > mostAnswerBytes) {
      throw new IOException("the broker announced an answer of " + length + " bytes");
    }
    int end = LENGTH_BYTES + length;
    readUntil(end);
    if (answer.position() > end) {
      throw new IOException("the broker sent " + (answer.position() - end) + " bytes that nobody asked for");
    }
    return end;
  }

  private void readUntil(int end) throws IOException {
    while (answer.position() < end) {
      if (channel.read(answer) < 0) {
        throw new EOFException("the broker has closed the connection");
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
