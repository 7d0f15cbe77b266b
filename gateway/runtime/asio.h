#pragma once

// The only header that includes Asio. Asio is heavy: this header is precompiled for gateway/, and
// Asio itself is compiled once, in asio.cc.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "gateway/runtime/task.h"

namespace bartizan {

namespace asio = boost::asio;
using boost::system::error_code;

/// All operations run on the loop of one worker. Naming the executor type avoids type erasure.
using Executor = asio::io_context::executor_type;

using TcpSocket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using TcpAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using UnixSocket = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;
using UnixAcceptor = asio::basic_socket_acceptor<asio::local::stream_protocol, Executor>;
using Pipe = asio::posix::basic_stream_descriptor<Executor>;
using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
using SteadyTimer =
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>, Executor>;

}  // namespace bartizan
