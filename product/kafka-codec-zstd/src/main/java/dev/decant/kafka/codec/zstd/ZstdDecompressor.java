package dev.decant.kafka.codec.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import java.nio.ByteBuffer;

/**
 * Reads one or more frames in one call into the memory of the records. So the library needs no memory for a window,
 * however large the one in the head. Streaming writers, such as Apache's, leave the size out. Decompression then tries
 * with the room at hand, and with twice as much if that is too little.
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
