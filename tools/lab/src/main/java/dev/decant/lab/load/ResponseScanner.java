package dev.decant.lab.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds the end of a response: a head, which must have the status {@code 200} and the length of the body (RFC 9112,
 * section 6.2), and the body. One scanner for each connection.
 */
final class ResponseScanner {
  private static final byte[] LENGTH = "\r\ncontent-length:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STATUS = "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII);
  private static final int END = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

  private final byte[] head = new byte[2048];
  private int length;
  private int lastFour;
  /** Bytes of the body still to come; -1 while the head is read. */
  private long body = -1;

  /**
   * Scans received bytes.
   *
   * @param received bytes of one response at most, since the next is not requested earlier
   * @return true when the response is complete
   * @throws IOException with one sentence, when it is not the expected response
   */
  boolean take(ByteBuffer received) throws IOException {
    while (body < 0 && received.hasRemaining()) {
      headByte(received.get());
    }
    if (body < 0) {
      return false;
    }
    body -= received.remaining();
    received.position(received.limit());
    if (body < 0) {
      throw new IOException("the server sent more than it had announced");
    }
    if (body > 0) {
      return false;
    }
    body = -1;
    return true;
  }

  private void headByte(byte next) throws IOException {
    if (length == head.length) {
      throw new IOException("the server sent a head of more than " + length + " bytes");
    }
    head[length++] = next;
    lastFour = lastFour << 8 | next;
    if (lastFour == END) {
      body = bodyLength();
      length = 0;
      lastFour = 0;
    }
  }

  private long bodyLength() throws IOException {
    for (int i = 0; i < STATUS.length; i++) {
      if (head[i] != STATUS[i]) {
        String line = new String(head, 0, length, StandardCharsets.US_ASCII).lines().findFirst().orElse("");
        throw new IOException("the server answered " + line);
      }
    }
    for (int i = STATUS.length; i < length - LENGTH.length; i++) {
      if (head[i] == '\r' && isLengthAt(i)) {
        return number(i + LENGTH.length);
      }
    }
    throw new IOException("the server announced no Content-Length");
  }

  private boolean isLengthAt(int at) {
    for (int i = 0; i < LENGTH.length; i++) {
      int lower = head[at + i] >= 'A' && head[at + i] <= 'Z' ? head[at + i] + 32 : head[at + i];
      if (lower != LENGTH[i]) {
        return false;
      }
    }
    return true;
  }

  private long number(int from) throws IOException {
    int i = from;
    while (head[i] == ' ') {
      i++;
    }
    long value = 0;
    int digits = 0;
    for (; head[i] >= '0' && head[i] <= '9' && digits < 10; i++, digits++) {
      value = value * 10 + head[i] - '0';
    }
    if (digits == 0 || (head[i] != '\r' && head[i] != ' ')) {
      throw new IOException("the server announced a Content-Length that is no length");
    }
    return value;
  }
}
