package dev.decant.kafka.codec.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import java.nio.ByteBuffer;

/**
 * Reads frames, one or more, in one call into the memory of the records: so the library needs none for a window,
 * however large a one the head asks for. Writers that stream, as Apache's does, do not say how much there is; then it
 * is tried with what room there is, and with twice as much if that is too little.
 */
final class ZstdDecompressor implements Decompressor {
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();

  @Override
  public void decompress(ByteBuffer source, int from, int to, DecompressedRecords output) {
    if (to == from) { // nothing to the library, but no frame
      throw new MalformedBytesException("no Zstandard frame in 0 bytes");
    }
    long stated = Zstd.getDirectByteBufferFrameContentSize(source, from, to - from);
    output.makeRoom(Math.max(1, stated));
    while (true) {
      try {
        output.written(context.decompressDirectByteBuffer(output.buffer(), output.end(), output.room(), source, from,
            to - from));
        return;
      } catch (ZstdException e) {
        if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
          throw new MalformedBytesException(to - from + " bytes that are no Zstandard: " + e.getMessage());
        }
        output.makeRoom(output.room() + 1L);
      }
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
