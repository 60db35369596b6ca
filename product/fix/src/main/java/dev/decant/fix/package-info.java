/** The engine: sessions that accept and initiate, and what an application sends and receives through them. */
@NullMarked
package dev.decant.fix;

import org.jspecify.annotations.NullMarked;
