package dev.decant.jmh;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Round trips of a bare channel, which blocks or spins: what any client pays before it does anything of its own. */
final class BareTrips implements Trips {
  private final SocketChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(FRAME_BYTES);
  private final ByteBuffer in = ByteBuffer.allocateDirect(FRAME_BYTES);

  BareTrips(boolean spins) throws IOException {
    try (Echo echo = new Echo(spins)) {
      channel = SocketChannel.open(echo.address());
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(!spins);
      echo.accept();
    }
  }

  @Override
  public void trip() throws IOException {
    channel.write(out.clear());
    in.clear();
    while (in.hasRemaining()) {
      int read = channel.read(in);
      if (read < 0) {
        throw new EOFException("the echo has ended");
      }
      if (read == 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
