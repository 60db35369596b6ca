package dev.decant.fix.record;

import static java.lang.invoke.MethodType.methodType;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory of a shared {@code java.lang.foreign.Arena}, for Java 22 and newer. It calls the arena by method handles,
 * because this class is compiled for Java 21, which has the API as a preview only (decision 39). Only maps and
 * allocations go through a handle; appends use the buffers.
 */
final class ArenaMemory extends NativeMemory {
  private static final String PACKAGE = "java.lang.foreign.";
  /** Arena.ofShared(). */
  private static final MethodHandle OPEN;
  /** FileChannel.map(mode, position, size, arena).asByteBuffer(). */
  private static final MethodHandle MAP;
  /** Arena.allocate(bytes, alignment).asByteBuffer(). */
  private static final MethodHandle ALLOCATE;
  /** Arena.close(). */
  private static final MethodHandle CLOSE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> arena = Class.forName(PACKAGE + "Arena");
      Class<?> segment = Class.forName(PACKAGE + "MemorySegment");
      MethodHandle asBuffer = lookup.findVirtual(segment, "asByteBuffer", methodType(ByteBuffer.class));
      MethodHandle map = lookup.findVirtual(FileChannel.class, "map",
          methodType(segment, MapMode.class, long.class, long.class, arena));
      MethodHandle allocate = lookup.findVirtual(arena, "allocate", methodType(segment, long.class, long.class));
      OPEN = lookup.findStatic(arena, "ofShared", methodType(arena)).asType(methodType(Object.class));
      MAP = MethodHandles.filterReturnValue(map, asBuffer).asType(
          methodType(ByteBuffer.class, FileChannel.class, MapMode.class, long.class, long.class, Object.class));
      ALLOCATE = MethodHandles.filterReturnValue(allocate, asBuffer)
          .asType(methodType(ByteBuffer.class, Object.class, long.class, long.class));
      CLOSE = lookup.findVirtual(arena, "close", methodType(void.class)).asType(methodType(void.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Object arena;
  private boolean isClosed;

  ArenaMemory() {
    try {
      arena = (Object) OPEN.invokeExact();
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  @Override
  public MappedByteBuffer map(FileChannel channel, MapMode mode, int bytes) throws IOException {
    try {
      return (MappedByteBuffer) (ByteBuffer) MAP.invokeExact(channel, mode, 0L, (long) bytes, arena);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  @Override
  public ByteBuffer allocate(int bytes) {
    try {
      return (ByteBuffer) ALLOCATE.invokeExact(arena, (long) bytes, (long) Long.BYTES);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    try {
      CLOSE.invokeExact(arena);
    } catch (Throwable e) {
      throw unchecked(e);
    }
    isClosed = true;
  }

  /**
   * Wraps a failure. The methods behind the handles declare no checked exception except the one that {@link #map}
   * passes on.
   */
  private static RuntimeException unchecked(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
  }
}
