package dev.decant.kafka.codec.zstd;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.decant.kafka.compression.Compressor;
import java.nio.ByteBuffer;

/** Writes one frame per batch, with the size of its content. A batch in one piece goes through in one call. */
final class ZstdCompressor implements Compressor {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final int level;
  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private ByteBuffer target = NOTHING;
  private int at;
  private int bytes;
  /** Bytes that were not added yet. */
  private int left;
  /** A frame was begun and has not ended. */
  private boolean open;

  ZstdCompressor(int level) {
    this.level = level;
    context.setLevel(level);
  }

  @Override
  public int mostBytes(int length) {
    return (int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(length));
  }

  @Override
  public void begin(ByteBuffer output, int index, int length) {
    target = output;
    at = index;
    bytes = length;
    left = length;
    if (open) { // of a batch that was not finished
      context.reset();
      context.setLevel(level);
      open = false;
    }
  }

  @Override
  public void add(ByteBuffer source, int from, int to) {
    left -= to - from;
    if (to - from == bytes) {
      at += context.compressDirectByteBuffer(target, at, target.capacity() - at, source, from, bytes);
      return;
    }
    if (!open) {
      context.setPledgedSrcSize(bytes);
      open = true;
    }
    int position = source.position();
    int limit = source.limit();
    stream(source.limit(to).position(from), left == 0);
    source.limit(limit).position(position);
  }

  private void stream(ByteBuffer source, boolean last) {
    ByteBuffer out = target;
    int position = out.position();
    int limit = out.limit();
    out.limit(out.capacity()).position(at);
    boolean done = false;
    while (last ? !done : source.hasRemaining()) {
      done = context.compressDirectByteBufferStream(out, source, last ? EndDirective.END : EndDirective.CONTINUE);
      if (!done && !out.hasRemaining()) {
        throw new IllegalStateException("there is no room for " + bytes + " bytes compressed");
      }
    }
    at = out.position();
    out.limit(limit).position(position);
    open = !last;
  }

  @Override
  public int finish() {
    if (left != 0) {
      throw new IllegalStateException(left + " bytes less than announced were added");
    }
    return at;
  }

  @Override
  public void close() {
    context.close();
  }
}
