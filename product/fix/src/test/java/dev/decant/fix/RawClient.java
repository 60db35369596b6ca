package dev.decant.fix;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;

/** A counterparty of an acceptor under the full control of a test: it sends bytes over a socket. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final Pattern TRAILER = Pattern.compile("\u000110=\\d{3}\u0001$");

  private final Socket socket;
  private final InputStream in;
  private final String compId;
  private final String targetCompId;

  RawClient(int port, String compId) throws IOException {
    this(port, compId, "SERVER");
  }

  RawClient(int port, String compId, String targetCompId) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port), compId, targetCompId);
  }

  /** A counterparty of an initiator, by a connection that was accepted. */
  RawClient(Socket socket, String compId, String targetCompId) throws IOException {
    this.compId = compId;
    this.targetCompId = targetCompId;
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends Logon(A) with a number and further fields, each with {@code |} behind it. */
  void logon(long number, String fields) throws IOException {
    send("A", number, "98=0|108=30|" + fields);
  }

  /** Sends a message of FIX.4.4; {@code |} is the delimiter. */
  void send(String msgType, long number, String fields) throws IOException {
    socket.getOutputStream().write(message(msgType, number, fields).getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends messages in one piece, each with its type and fields, from number 1 on. */
  void sendTogether(String[]... messages) throws IOException {
    StringBuilder all = new StringBuilder();
    int number = 1;
    for (String[] message : messages) {
      all.append(message(message[0], number++, message[1]));
    }
    socket.getOutputStream().write(all.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private String message(String msgType, long number, String fields) {
    String now = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss").format(LocalDateTime.now(ZoneOffset.UTC));
    String body = "35=" + msgType + "|34=" + number + "|49=" + compId + "|52=" + now + "|56=" + targetCompId + '|'
        + fields;
    String message = ("8=FIX.4.4|9=" + body.length() + '|' + body).replace('|', '\u0001');
    int sum = message.chars().sum() % 256;
    return message + String.format(Locale.ROOT, "10=%03d\u0001", sum);
  }

  /** Sends nothing more. What the engine has given its socket can still be read. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Spins until bytes are there, so that the caller goes on within a microsecond. */
  void awaitBytes() throws IOException {
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
    while (in.available() == 0 && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
  }

  /** The next message, with {@code |} for the delimiter; empty at the end of the stream. */
  String read() throws IOException {
    StringBuilder message = new StringBuilder();
    int next = 0;
    while (next != '\u0001' || !TRAILER.matcher(message).find()) {
      next = in.read();
      if (next < 0) {
        return message.isEmpty() ? "" : message + " and no more";
      }
      message.append((char) next);
    }
    return message.toString().replace('\u0001', '|');
  }

  /** Reads on until a message has this text, with {@code |} for the delimiter. */
  String readUntil(String text) throws IOException {
    String message = read();
    while (!message.contains(text)) {
      if (message.isEmpty()) {
        throw new AssertionError("the connection has ended without " + text);
      }
      message = read();
    }
    return message;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
