//! Black-box tests of Sidewire: the real binaries over real sockets and pipes.
