package dev.decant.lab.fix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The operator's end of an engine's control socket. */
public final class ControlClient implements AutoCloseable {
  private static final String END = "{\"ok\":";

  private final Path path;
  private final SocketChannel channel;
  private final BufferedReader lines;

  /**
   * Connects.
   *
   * @param path path of the socket
   * @throws IOException if no engine listens there; the message names the path
   */
  public ControlClient(Path path) throws IOException {
    this.path = path;
    try {
      channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      throw new IOException("no engine listens at " + path + ": " + e.getMessage() + "; " + advice(path), e);
    }
    lines = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.ISO_8859_1));
  }

  private static String advice(Path path) {
    if (Files.exists(path) && !Files.isWritable(path)) {
      return "only the user of the engine's process may connect";
    }
    return "give the path that the running engine was started with, by FixEngine.builder().control(PATH)";
  }

  /**
   * Escapes a session's name into a single argument of a request.
   *
   * @param session the name by which the engine knows the session
   * @return the argument
   */
  public static String escaped(String session) {
    return session.replace("%", "%25").replace("+", "%2B").replace(" ", "%20");
  }

  /**
   * Sends a request and waits for its response.
   *
   * @param request one line
   * @return the lines of the response; the last line says whether the request succeeded
   * @throws IOException if the connection ends before the response
   */
  public List<String> ask(String request) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((request + '\n').getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    List<String> response = new ArrayList<>();
    while (true) {
      String line = lines.readLine();
      if (line == null) {
        throw new IOException("the engine at " + path + " closed the connection before its response was complete");
      }
      response.add(line);
      if (line.startsWith(END)) {
        return response;
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
