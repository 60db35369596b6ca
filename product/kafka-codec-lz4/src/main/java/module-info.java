/** Record batches compressed with LZ4. */
// The format's own name ends with a digit. The library's jar is no module; its name is stable all the same, since its
// manifest says it.
@SuppressWarnings({"module", "requires-automatic"}) module dev.decant.kafka.codec.lz4 {
  requires dev.decant.kafka;
  requires org.lz4.java;
  requires static org.jspecify;

  provides dev.decant.kafka.compression.CompressionCodec with dev.decant.kafka.codec.lz4.Lz4Codec;
}
