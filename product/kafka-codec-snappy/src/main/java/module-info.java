/** Record batches compressed with Snappy. */
// The library's jar is no module; its name is that of its file.
@SuppressWarnings("requires-automatic") module dev.decant.kafka.codec.snappy {
  requires dev.decant.kafka;
  requires snappy.java;
  requires static org.jspecify;

  provides dev.decant.kafka.compression.CompressionCodec with dev.decant.kafka.codec.snappy.SnappyCodec;
}
